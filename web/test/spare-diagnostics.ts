import { configure, getConfig } from '@testing-library/react';

/* Testing Library leaves out work whose results nobody reads. A worker loads this file once, unlike setup.ts. */

/** Whether a `waitFor` or a `findBy…` looks at the page at this moment. */
const isWaiting = () => Reflect.get(getConfig(), '_disableExpensiveErrorDiagnostics') === true;

// A query that finds nothing writes out the whole page. One that waits needs that only when its time is over: `waitFor` then does it.
configure(({ getElementError }) => ({
  getElementError: (message, container) =>
    isWaiting() && message !== null
      ? Object.assign(new Error(message), { name: 'TestingLibraryElementError' })
      : getElementError(message, container),
}));
