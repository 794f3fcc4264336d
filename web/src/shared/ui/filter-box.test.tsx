import { FILTER_MAX_LENGTH } from '@pressel/contract/limits';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serveLog } from '#test/log-double.ts';
import { renderApp } from '#test/render-app.tsx';

test('[LIST4] what is pasted stays as far as an address takes it, and what is typed after that changes nothing', async () => {
  const { user } = await renderApp({ at: '/activities', signedIn: {}, prepare: (api) => serveLog(api, []) });
  const box = await screen.findByRole('searchbox');
  await user.click(box);
  await user.paste('é'.repeat(1_000));
  await user.keyboard('x');
  expect(box).toHaveValue('é'.repeat(FILTER_MAX_LENGTH));
});

test('[LIST4] the Escape that ends a composition clears no filter', async () => {
  const { user } = await renderApp({ at: '/activities', signedIn: {}, prepare: (api) => serveLog(api, []) });
  const box = await screen.findByRole('searchbox');
  await user.type(box, 'にほん');
  fireEvent.keyDown(box, { key: 'Escape', keyCode: 229 });
  fireEvent.keyDown(box, { key: 'Escape', isComposing: true });
  expect(box).toHaveValue('にほん');
  fireEvent.keyDown(box, { key: 'Escape' });
  await waitFor(() => expect(box).toHaveValue(''));
});
