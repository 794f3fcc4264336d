import { act, render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { VoiceNotices } from '#src/features/voice/voice-notices.tsx';
import { RealtimeProvider } from '#src/shared/services.tsx';
import { createFakeRoomSession, fakeActions, roomSnapshot } from '#test/fake-room-session.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { LinkBanner } from './banners.tsx';

/** The texts that a screen reader would say. */
const said = () =>
  [...document.querySelectorAll('[role=status], [role=alert]')]
    .filter((region) => region.textContent !== '')
    .map((region) => (region.hasAttribute('data-voice-announcer') ? 'announcer' : region.getAttribute('role')));

function showRoom() {
  const realtime = createRealtimeDouble();
  const { room, show } = createFakeRoomSession();
  render(
    <WithVoiceWords>
      <RealtimeProvider realtime={realtime}>
        <LinkBanner />
        <VoiceNotices room={room} actions={fakeActions(room)} />
        <VoiceAnnouncer room={room} />
      </RealtimeProvider>
    </WithVoiceWords>,
  );
  return {
    realtime,
    to: (state: 'joined' | 'lost' | 'silent') => act(() => show(roomSnapshot({ status: { state } }))),
  };
}

test('[KEYS5] [KEYS9] a lost link is said once in a room, and so is that it is back', () => {
  const { realtime, to } = showRoom();
  expect(said()).toEqual([]);
  act(() => realtime.setLink('down'));
  to('lost');
  expect(said()).toEqual(['status']);
  act(() => realtime.setLink('up'));
  to('joined');
  expect(said()).toEqual(['announcer']);
});

test('[KEYS5] [KEYS9] that the server doesn’t answer is said once in a room', () => {
  const { to } = showRoom();
  to('silent');
  expect(said()).toEqual(['announcer']);
});
