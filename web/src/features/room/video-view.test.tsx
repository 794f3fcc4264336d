import type { ParticipantId } from '@pressel/contract/ids';
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import type { VideoSnapshot } from '#src/features/voice/engine/video.ts';
import { DEFAULT_VOICE_PREFERENCES } from '#src/features/voice/settings/voice-preferences.ts';
import { asTrack, FakeTrack } from '#test/fake-media-track.ts';
import { camilleTalks, fakeActions, person, roomSource } from '#test/fake-room-session.ts';
import { stubLayout } from '#test/stub-layout.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { VideoView, type VideoViewProps } from './video-view.tsx';

beforeEach(() => {
  stubLayout();
  // Missing in jsdom.
  vi.stubGlobal('MediaStream', class {});
});

const track = () => asTrack(new FakeTrack('picture', '', 'video'));
const self = person(0, { name: 'Nadia', isSelf: true, media: 'self', video: 'camera' });
const pictures = (...numbers: number[]) =>
  new Map(numbers.map((number) => [`socket-${number}` as ParticipantId, track()] as const));

const videoSnapshot = (change: Partial<VideoSnapshot> = {}): VideoSnapshot => ({
  camera: { state: 'on', deviceId: 'front', label: 'Avant' },
  cameras: [{ deviceId: 'front', label: 'Avant' }],
  screen: 'off',
  own: { track: track(), shows: 'camera' },
  pictures: new Map(),
  ...change,
});

function show(
  room: Partial<RoomSnapshot>,
  video: Partial<VideoSnapshot> = {},
  language: 'fr' | 'en' | 'de' = 'fr',
  isGuest = false,
) {
  const acts: string[] = [];
  const props: VideoViewProps = {
    room: roomSource({ participants: [self], ...room }),
    video: videoSnapshot(video),
    actions: fakeActions(),
    preferences: DEFAULT_VOICE_PREFERENCES,
    onPreferences: () => undefined,
    onChoosingKey: () => undefined,
    fallbackName: 'Maraude',
    cameras: <p>caméras</p>,
    onMicrophone: () => acts.push('microphone'),
    onCamera: (isOn) => acts.push(`camera ${isOn}`),
    onShare: () => acts.push('share'),
    onStopSharing: () => acts.push('stop'),
    onLeave: () => acts.push('leave'),
    onRadio: isGuest ? undefined : () => acts.push('radio'),
    onSignIn: () => undefined,
    onAgain: () => undefined,
  };
  render(
    <WithVoiceWords language={language}>
      <VideoView {...props} />
    </WithVoiceWords>,
  );
  return { acts, user: userEvent.setup() };
}

const tile = (name: string) => {
  const found = screen.getAllByRole('listitem').find((one) => within(one).queryByText(name) !== null);
  if (found === undefined) throw new Error(`no tile of ${name}`);
  return found;
};

test('[VID13] the arrow leads members back to the radio; guests have none', async () => {
  const { acts, user } = show({});
  await user.click(screen.getByRole('button', { name: 'Revenir à la radio, sans image' }));
  expect(acts).toEqual(['radio']);
  cleanup();
  show({}, {}, 'fr', true);
  expect(screen.queryByRole('button', { name: 'Revenir à la radio, sans image' })).toBeNull();
});

test('[VID5] a picture where one is shown, an avatar where none is, and who has no video', () => {
  show(
    {
      participants: [
        self,
        person(1, { name: 'Camille', video: 'camera' }),
        person(2, { name: 'Denis', video: 'off' }),
        person(3, { name: 'Elsa', video: null }),
      ],
    },
    { pictures: pictures(1, 2) },
  );
  expect(within(tile('Camille')).getByLabelText('Image de Camille')).toBeInTheDocument();
  expect(tile('Denis').querySelector('video')).toBeNull();
  expect(within(tile('Denis')).getByText('D')).toBeInTheDocument();
  expect(within(tile('Denis')).queryByText('Sans vidéo')).toBeNull();
  expect(within(tile('Elsa')).getByText('Sans vidéo')).toBeInTheDocument();
});

test('who talks is said on their picture', () => {
  show(
    { participants: [self, person(1, { name: 'Camille', video: 'camera', isTalking: true })] },
    { pictures: pictures(1) },
  );
  expect(within(tile('Camille')).getByText('Parle')).toBeInTheDocument();
});

test('[VID11] columns of four; a screen is large, and not counted among them', () => {
  const others = [1, 2, 3, 4, 5].map((number) => person(number, { video: number === 3 ? 'screen' : 'camera' }));
  show({ participants: [self, ...others] }, { pictures: pictures(1, 2, 3, 4, 5) });
  const list = screen.getByRole('list', { name: 'Présents dans le canal' });
  expect(list.style.getPropertyValue('--rows')).toBe('4');
  expect(list).toHaveAttribute('data-sharing');
  const [first] = screen.getAllByRole('listitem');
  expect(first).toHaveAttribute('data-staged');
  expect(within(first as HTMLElement).getByLabelText('Écran de Personne 3')).toHaveAttribute('data-shows', 'screen');
});

test('[VID8] sharing is said plainly, can be ended, and shows the own screen as it is', async () => {
  const { acts, user } = show({}, { screen: 'on', own: { track: track(), shows: 'screen' }, camera: { state: 'off' } });
  expect(screen.getByRole('alert')).toHaveTextContent('Vous partagez votre écran.');
  expect(screen.getByLabelText('Votre écran')).not.toHaveAttribute('data-mirrored');
  expect(screen.getByRole('button', { name: 'Caméra' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Arrêter le partage' }));
  await user.click(screen.getByRole('button', { name: 'Écran', pressed: true }));
  expect(acts).toEqual(['stop', 'stop']);
});

test.each([
  ['refused', 'La caméra est refusée à cette page.', true],
  ['missing', 'Aucune caméra trouvée.', true],
  ['busy', 'La caméra est prise par une autre application.', true],
  ['unplugged', 'La caméra a été débranchée.', true],
  ['insecure', 'Cette adresse n’est pas sécurisée : le navigateur interdit la caméra.', false],
] as const)('[VID7] a camera that is %s is said, with a way on', async (reason, text, canRetry) => {
  const { acts, user } = show({}, { camera: { state: 'unavailable', reason }, own: null });
  const notice = screen.getByRole('alert');
  expect(notice).toHaveTextContent(text);
  const retry = within(notice).queryByRole('button', { name: 'Réessayer' });
  expect(retry !== null).toBe(canRetry);
  if (retry !== null) await user.click(retry);
  await user.click(within(notice).getByRole('button', { name: 'Continuer sans caméra' }));
  expect(acts).toEqual([...(canRetry ? ['camera true'] : []), 'camera false']);
});

test('[VID10] the switches say what is on, and do what they say', async () => {
  const { acts, user } = show({ talk: { state: 'queued', since: 0, position: 1, size: 1 } });
  expect(screen.getByRole('button', { name: 'Micro' })).toHaveAttribute('aria-pressed', 'true');
  await user.click(screen.getByRole('button', { name: 'Micro' }));
  await user.click(screen.getByRole('button', { name: 'Caméra', pressed: true }));
  await user.click(screen.getByRole('button', { name: 'Écran', pressed: false }));
  expect(acts).toEqual(['microphone', 'camera false', 'share']);
});

test('[VID10] without a microphone or a link nothing is there to be switched on', () => {
  show({ microphone: { state: 'unavailable', reason: 'missing' } }, { screen: 'unsupported' });
  expect(screen.getByRole('button', { name: 'Micro' })).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Écran' })).toBeNull();
});

test('alone one waits, and sees oneself as in a mirror', () => {
  show({}, {}, 'en');
  expect(screen.getByText('Waiting for users')).toBeInTheDocument();
  expect(screen.getByLabelText('Your picture')).toHaveAttribute('data-mirrored');
});

test('a stay that is over says why', () => {
  show({ status: { state: 'closed', reason: 'removed' } });
  expect(screen.getByText('Vous avez été retiré de ce canal')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Caméra' })).toBeNull();
});

test.each([
  ['the channel', {}, 'Maraude Nord · Pressel'],
  ['who talks', camilleTalks(), '● Camille parle · Maraude Nord · Pressel'],
  ['why it is over', { status: { state: 'closed', reason: 'removed' } }, 'Vous avez été retiré de ce canal · Pressel'],
] satisfies [string, Partial<RoomSnapshot>, string][])('[TALK113] the tab’s title says %s', (_, room, title) => {
  show(room);
  expect(document.title).toBe(title);
});
