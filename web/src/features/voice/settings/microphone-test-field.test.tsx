import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { createFakeRoomSession, fakeActions, roomSnapshot } from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { MicrophoneTest, MicrophoneTestState } from '../engine/microphone-test.ts';
import type { MicrophoneState } from '../engine/types.ts';
import { MicrophoneTestField } from './microphone-test-field.tsx';

/** The field with a fake test in a given state. */
function show(state: MicrophoneTestState, microphone: MicrophoneState = roomSnapshot().microphone) {
  const fake = createFakeRoomSession(roomSnapshot({ microphone }));
  const calls: string[] = [];
  const listeners = new Set<() => void>();
  let current = state;
  const opened: MicrophoneTest = {
    getSnapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    level: () => 0,
    start: () => void calls.push('start'),
    stop: () => void calls.push('stop'),
    close: () => void calls.push('close'),
  };
  const open = () => opened;
  const actions = fakeActions(fake.room);
  const shown = render(
    <WithVoiceWords>
      <MicrophoneTestField room={fake.room} actions={actions} open={open} />
    </WithVoiceWords>,
  );
  const become = (next: MicrophoneTestState) =>
    act(() => {
      current = next;
      for (const listener of listeners) listener();
    });
  const lose = () => {
    const lost: MicrophoneState = { state: 'unavailable', reason: 'unplugged' };
    act(() => fake.show(roomSnapshot({ microphone: lost })));
    become({ state: 'off', result: 'interrupted' });
  };
  return { ...shown, calls, roomCalls: fake.calls, become, lose, user: userEvent.setup() };
}
const status = () => screen.getByRole('status').textContent;

test('[TALK133] the button tests, plays back and ends; what goes on is said, and the focus stays', async () => {
  const { user, calls, become, lose, unmount } = show({ state: 'listening', result: null });
  expect(screen.getByRole('meter', { name: 'Niveau du micro' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Tester le micro' }));
  become({ state: 'recording', result: null });
  expect(status()).toMatch(/^Enregistrement de 5 secondes/u);
  await user.click(screen.getByRole('button', { name: 'Écouter' }));
  become({ state: 'playing', result: null });
  expect(status()).toBe('Voici ce que les autres entendent de vous.');
  await user.click(screen.getByRole('button', { name: 'Arrêter' }));
  lose();
  expect(screen.getByRole('button', { name: 'Réessayer' })).toHaveFocus();
  unmount();
  expect(calls).toEqual(['start', 'stop', 'stop', 'close']);
});

test.each([
  [null, /^Parlez/u],
  ['played', /^Pas assez net/u],
  ['silent', /^Rien n’a été entendu.*coupé/u],
  ['failed', /^Le test a échoué/u],
  ['interrupted', /^Le test a été interrompu/u],
] as const)('[TALK133] after a test that ended with %s is said what to do', (result, words) => {
  show({ state: 'listening', result });
  expect(status()).toMatch(words);
});

test.each([
  [{ state: 'starting' }, /^Autorisez le micro/u, false],
  [{ state: 'unavailable', reason: 'refused' }, /refusé.*autorisez le micro/u, true],
  [{ state: 'unavailable', reason: 'missing' }, /^Aucun micro trouvé.*Branchez/u, true],
  [{ state: 'unavailable', reason: 'unplugged' }, /débranché/u, true],
  [{ state: 'unavailable', reason: 'muted' }, /coupé/u, true],
  [{ state: 'unavailable', reason: 'insecure' }, /https/u, false],
  [{ state: 'ready', deviceId: 'mic-1', label: '' }, /^Vous avez la parole/u, false],
] as const)(
  '[TALK134] with the microphone %o is said why there is no test, and what to do',
  async (microphone, words, canRetry) => {
    const { user, roomCalls } = show({ state: 'off', result: null }, microphone);
    expect(status()).toMatch(words);
    const button = screen.getByRole('button', { name: canRetry ? 'Réessayer' : 'Tester le micro' });
    if (canRetry) await user.click(button);
    else expect(button).toHaveAttribute('aria-disabled', 'true');
    expect(roomCalls).toEqual(canRetry ? ['retry'] : []);
  },
);
