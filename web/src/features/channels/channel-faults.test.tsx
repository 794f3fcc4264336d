import { createChannel, getAllChannels, updateChannel } from '@pressel/contract/channels';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import type { ApiDouble } from '#test/api-double.ts';
import { renderApp } from '#test/render-app.tsx';
import { channelOf, pageOf } from '#test/samples.ts';

const nord = channelOf(1, 'Nord');

async function openForm(panel: string, name: string, prepare: (api: ApiDouble) => void) {
  const at = `/channelsList?panel=${panel}`;
  const app = await renderApp({ at, signedIn: {}, language: 'en', prepare });
  const form = within(await screen.findByRole('dialog', { name }));
  return { ...app, form, field: await form.findByLabelText('Channel name') };
}

test('a channel that could not be created is told in the words of the specification, with the cause', async () => {
  const { form, field, user } = await openForm('create', 'New channel', (api) =>
    api.fail(createChannel, new ApiError('internal')),
  );
  await user.type(field, 'Est{Enter}');
  expect(await form.findByText(/^Channel not created\. \S/u)).toBeVisible();
  expect(field).toHaveValue('Est');
});

test('so is one that could not be changed', async () => {
  const { form, field, user } = await openForm(`edit:${nord.id}`, 'Edit channel', (api) => {
    api.on(getAllChannels, (query) => pageOf([nord], query, ({ name }) => name));
    api.fail(updateChannel, new ApiError('internal'));
  });
  await user.type(field, ' 2{Enter}');
  expect(await form.findByRole('alert')).toHaveTextContent(/^Error! Channel not updated\. \S/u);
  expect(field).toHaveValue('Nord 2');
});
