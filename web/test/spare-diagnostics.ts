import { configure, getConfig } from '@testing-library/react';
import * as React from 'react';

/*
 * React and Testing Library leave out work whose results nobody reads, which took a fifth of the time of these tests. A worker loads this
 * file once, unlike setup.ts.
 */

// React keeps a stack trace of each element for its developer tools. It counts them, and beyond a number it keeps none.
const internals = Object.entries(React).find(([name]) => name.startsWith('__CLIENT_INTERNALS_'));
if (internals !== undefined) {
  const most = { configurable: true, get: () => Number.POSITIVE_INFINITY, set: () => undefined };
  Object.defineProperty(internals[1], 'recentlyCreatedOwnerStacks', most);
}

/** Whether a `waitFor` or a `findBy…` looks at the page at this moment. */
const isWaiting = () => Reflect.get(getConfig(), '_disableExpensiveErrorDiagnostics') === true;

// A query that finds nothing writes out the whole page. One that waits needs that only when its time is over: `waitFor` then does it.
configure(({ getElementError }) => ({
  getElementError: (message, container) =>
    isWaiting() && message !== null
      ? Object.assign(new Error(message), { name: 'TestingLibraryElementError' })
      : getElementError(message, container),
}));
