import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { CallControllerProvider } from '#src/features/calls/call-context.tsx';
import { createCallController } from '#src/features/calls/call-controller.ts';
import { createQueryClient } from '#src/shared/queries.tsx';
import { RealtimeProvider, ServicesProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createApiDouble } from '#test/api-double.ts';
import { person } from '#test/fake-room-session.ts';
import { NO_RENEWAL } from '#test/no-renewal.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { PersonCall, type PersonCallProps } from './room-panels.tsx';

const CHANNEL = sampleId(100) as ChannelId;
const zoe = person(1).userId;
const self = person(2).userId;
const socket = { userId: zoe, channelId: null, socket_id: sampleId(700) as ParticipantId };

async function show(change: Partial<PersonCallProps> & { sockets?: ChannelMember['user_sockets'] }) {
  const { sockets = [], ...props } = change;
  const api = createApiDouble();
  const realtime = createRealtimeDouble();
  const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
  const names = { firstName: 'Zoé', lastName: 'Petit', pseudo: '', display_name: 'Zoé Petit', photo_url: null };
  const member = (id: UserId): ChannelMember => ({ id, ...names, role: 'member', user_sockets: sockets });
  let isRead = false;
  api.on(getUsersInChannel, () => {
    isRead = true;
    return { success: true, res: [member(zoe), member(self)], totalRecords: 2 };
  });
  const asked: unknown[] = [];
  realtime.send = (event, payload) => {
    asked.push([event, payload]);
    return new Promise(() => undefined);
  };
  const controller = createCallController({
    ...{ realtime, self: { id: self, name: 'Moi' }, now: () => 0, after: () => () => undefined },
    loadParts: () => new Promise(() => undefined),
  });
  const given: PersonCallProps = {
    ...{ channelId: CHANNEL, participants: [], isLive: true, id: zoe, name: 'Zoé Petit' },
    ...props,
  };
  render(
    <WithVoiceWords>
      <QueryClientProvider client={createQueryClient()}>
        <ServicesProvider services={{ api, storage, session: createSession({ api, storage }), renewal: NO_RENEWAL }}>
          <RealtimeProvider realtime={realtime}>
            <CallControllerProvider controller={controller}>
              <PersonCall {...given} />
            </CallControllerProvider>
          </RealtimeProvider>
        </ServicesProvider>
      </QueryClientProvider>
    </WithVoiceWords>,
  );
  await waitFor(() => expect(isRead).toBe(true));
  // The answer is rendered a moment later.
  await act(async () => undefined);
  const news = (user_sockets: ChannelMember['user_sockets']) =>
    act(() =>
      realtime.tell('onUserStatusChanged', {
        channelId: CHANNEL,
        users: [{ userId: zoe, connected: user_sockets.length > 0, user_sockets }],
        rooms: [],
      }),
    );
  return { asked, controller, news };
}

const button = () => screen.queryByRole('button', { name: /Appeler.*Zoé Petit/u });

test('[RING17] on the map, who is offline has no call button; who comes online has one', async () => {
  const { news } = await show({});
  expect(button()).toBeNull();
  news([socket]);
  await waitFor(() => expect(button()).toBeEnabled());
  news([]);
  await waitFor(() => expect(button()).toBeNull());
});

test('[RING17] on the map, who is in the room or online elsewhere can be called', async () => {
  const { asked } = await show({ sockets: [socket] });
  await userEvent.click(await screen.findByRole('button', { name: /Appeler/u }));
  expect(asked).toEqual([['call_start', { userId: zoe }]]);
});

test('[RING17] who is in the room can be called, whatever the list of members says', async () => {
  await show({ participants: [person(1)] });
  expect(button()).toBeEnabled();
});

test.each([
  ['without a link', { isLive: false }],
  ['for oneself', { id: self }],
])('[RING17] on the map there is no call button %s', async (_, change) => {
  await show({ sockets: [socket], participants: [person(1), person(2)], ...change });
  expect(screen.queryByRole('button')).toBeNull();
});

test('[RING17] during a call of one’s own the button says why it does nothing, and keeps its focus', async () => {
  const { asked, controller } = await show({ participants: [person(1)] });
  const bo = { id: sampleId(8) as UserId, name: 'Bo' };
  button()?.focus();
  act(() => controller.start(bo));
  expect(button()).toHaveFocus();
  expect(button()).toHaveAttribute('aria-disabled', 'true');
  expect(button()).toHaveAccessibleDescription('Vous êtes déjà en communication');
  await userEvent.click(button() ?? document.body);
  expect(asked).toEqual([['call_start', { userId: bo.id }]]);
  act(() => controller.leave());
  expect(button()).toHaveAttribute('aria-disabled', 'false');
  expect(button()).toHaveAccessibleDescription('Appeler');
});
