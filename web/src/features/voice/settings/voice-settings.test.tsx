import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { createFakeOutputs } from '#test/fake-outputs.ts';
import { createFakeRoomSession, fakeActions, roomSource } from '#test/fake-room-session.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { keyConflict } from '../talk-key.ts';
import type { VoiceSettingsProps } from './settings-popover.tsx';
import {
  DEFAULT_VOICE_PREFERENCES,
  ownVoicePreferences,
  type VoicePreferences,
  voicePreferences,
} from './voice-preferences.ts';
import { VoiceSettings } from './voice-settings.tsx';

function Settings(
  props: Pick<VoiceSettingsProps, 'actions' | 'onChoosingKey'> & { onKept: (next: VoicePreferences) => void },
) {
  const [preferences, setPreferences] = useState(DEFAULT_VOICE_PREFERENCES);
  return (
    <VoiceSettings
      room={roomSource()}
      preferences={preferences}
      onChange={(change) => {
        const next = { ...preferences, ...change };
        props.onKept(next);
        setPreferences(next);
      }}
      actions={props.actions}
      onChoosingKey={props.onChoosingKey}
    />
  );
}

async function open(outputs = createFakeOutputs()) {
  const fake = createFakeRoomSession();
  Object.assign(fake.room, { loudspeaker: outputs.loudspeaker() });
  const kept: VoicePreferences[] = [];
  const choosing: boolean[] = [];
  const noteChoosing = (isChoosing: boolean) => void choosing.push(isChoosing);
  render(
    <WithVoiceWords>
      <Settings actions={fakeActions(fake.room)} onKept={(next) => kept.push(next)} onChoosingKey={noteChoosing} />
    </WithVoiceWords>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Réglages audio' }));
  await screen.findByRole('switch', { name: /^Signaux sonores/ });
  return { user, fake, choosing, last: () => kept[kept.length - 1] };
}

test('[TALK66] opening the settings ends a talk', async () => {
  const { fake } = await open();
  expect(fake.calls).toEqual(['stop']);
});

test('tones can be turned off', async () => {
  const { user, last } = await open();
  await user.click(screen.getByRole('switch', { name: /^Signaux sonores/ }));
  expect(last()?.tones).toBe(false);
});

test('[TALK52] one’s own voice from other devices is silent, unless it is turned on', async () => {
  const { user, last } = await open();
  const own = screen.getByRole('switch', { name: /^Entendre mes autres appareils/ });
  expect(own).not.toBeChecked();
  await user.click(own);
  expect(last()?.hearsOwnDevices).toBe(true);
});

test('[TALK125] the room’s volume is kept and never nothing; silence is the stay’s', async () => {
  const { user, fake, last } = await open();
  const slider = screen.getByRole('slider', { name: 'Volume du canal' });
  expect(slider).toHaveAttribute('aria-valuemin', '5');
  fireEvent.keyDown(slider, { key: 'ArrowLeft' });
  expect(last()?.roomVolume).toBe(0.95);
  await user.click(screen.getByRole('switch', { name: /^Couper le son du canal/u }));
  expect(fake.calls).toEqual(['stop', 'sound off']);
});

test('[TALK126] where fingers are all there is, no talk key is offered', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => Object.assign(new EventTarget(), { matches: query.includes('hover: none'), media: query }) as never,
  );
  await open();
  expect(screen.queryByRole('button', { name: 'Changer' })).toBeNull();
});

test('the tail is set in steps between 0 and 500 ms', async () => {
  const { last } = await open();
  const slider = screen.getByRole('slider', { name: 'Fin d’émission' });
  expect(slider).toHaveAttribute('aria-valuemin', '0');
  expect(slider).toHaveAttribute('aria-valuemax', '500');
  fireEvent.keyDown(slider, { key: 'ArrowRight' });
  expect(last()?.tailMs).toBe(DEFAULT_VOICE_PREFERENCES.tailMs + 50);
});

test('another microphone is taken at once and kept', async () => {
  const { user, fake, last } = await open();
  await user.click(screen.getByRole('combobox', { name: 'Micro' }));
  await user.click(await screen.findByRole('option', { name: 'Table' }));
  expect(fake.calls).toEqual(['stop', 'microphone mic-2']);
  expect(last()?.microphoneId).toBe('mic-2');
});

test('[TALK124] another loudspeaker is taken at once and kept, and so is the default one', async () => {
  const { user, fake, last } = await open(createFakeOutputs('Bureau', 'Casque'));
  await user.click(screen.getByRole('combobox', { name: 'Haut-parleur' }));
  await user.click(await screen.findByRole('option', { name: 'Casque' }));
  expect(fake.room.loudspeaker.sinkId()).toBe('Casque');
  expect(last()?.loudspeakerId).toBe('Casque');
  await user.click(screen.getByRole('combobox', { name: 'Haut-parleur' }));
  await user.click(await screen.findByRole('option', { name: 'Haut-parleur par défaut' }));
  expect(fake.room.loudspeaker.sinkId()).toBe('');
  expect(last()?.loudspeakerId).toBe('');
});

test('[TALK124] where the browser asks itself, its question is a button', async () => {
  const { user, last } = await open(Object.assign(createFakeOutputs(), { ask: async () => 'hdmi' }));
  await user.click(screen.getByRole('button', { name: 'Autre haut-parleur…' }));
  await waitFor(() => expect(last()?.loudspeakerId).toBe('hdmi'));
});

test.each([
  ['can’t play elsewhere', Object.assign(createFakeOutputs('Bureau'), { canChoose: false })],
  ['tells no devices', createFakeOutputs()],
])('[TALK124] where the browser %s no loudspeaker is offered', async (_name, outputs) => {
  await open(outputs);
  expect(screen.getByRole('combobox', { name: 'Micro' })).toBeInTheDocument();
  expect(screen.queryByRole('combobox', { name: 'Haut-parleur' })).toBeNull();
});

test('the key that is pressed becomes the talk key; meanwhile it does not talk', async () => {
  const { user, choosing, last } = await open();
  await user.click(screen.getByRole('button', { name: 'Changer' }));
  expect(choosing).toEqual([true]);
  expect(screen.getByText('Appuyez sur la touche voulue…')).toBeInTheDocument();
  const wasLeftAlone = fireEvent.keyDown(document.body, { code: 'KeyT', key: 't' });
  expect(wasLeftAlone).toBe(false);
  expect(last()?.talkKey).toEqual({ code: 'KeyT', label: 'T' });
  expect(choosing).toEqual([true, false]);
  expect(screen.getByText('T')).toBeInTheDocument();
  expect(screen.getByText(/cette touche sert à écrire, pas à parler/)).toBeInTheDocument();
});

test('a reserved key is refused with a hint, and another may follow', async () => {
  const { user, last } = await open();
  await user.click(screen.getByRole('button', { name: 'Changer' }));
  fireEvent.keyDown(document.body, { code: 'Enter', key: 'Enter' });
  expect(screen.getByText(/Cette touche est réservée/)).toBeInTheDocument();
  expect(last()).toBeUndefined();
  fireEvent.keyDown(document.body, { code: 'F8', key: 'F8' });
  expect(last()?.talkKey.code).toBe('F8');
});

test('Escape keeps the key that was', async () => {
  const { user, last, choosing } = await open();
  await user.click(screen.getByRole('button', { name: 'Changer' }));
  fireEvent.keyDown(document.body, { code: 'Escape', key: 'Escape' });
  expect(last()).toBeUndefined();
  expect(choosing).toEqual([true, false]);
  expect(screen.getByRole('button', { name: 'Changer' })).toBeInTheDocument();
});

test.each([
  ['Space', undefined],
  ['Tab', 'reserved'],
  ['F5', 'browser'],
  ['ControlRight', 'browser'],
  ['PageDown', 'scroll'],
  ['KeyV', 'typing'],
])('the key %s: %s', (code, conflict) => {
  expect(keyConflict(code)).toBe(conflict);
});

test('invalid stored preferences fall back to defaults field by field', () => {
  const read = {
    ...voicePreferences.parse({ tones: false, tailMs: 9_000, talkKey: { code: 'Tab', label: '' } }),
    ...ownVoicePreferences.parse({ volumes: { someone: 7 }, isCameraOn: 'yes' }),
  };
  expect(read).toEqual({ ...DEFAULT_VOICE_PREFERENCES, tones: false });
});
