import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { CallMediaSnapshot } from '#src/features/voice/engine/call-media.ts';
import type { Picture } from '#src/features/voice/engine/video.ts';
import type { VideoPictureProps } from '#src/features/voice/tiles/video-picture.tsx';
import { asTrack, FakeTrack } from '#test/fake-media-track.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { CallPictures } from './call-pictures.tsx';

const FakePicture = ({ label, isMirrored = false }: VideoPictureProps) => (
  <p>{`${label}${isMirrored ? ', en miroir' : ''}`}</p>
);
const shown = (shows: Picture['shows']): Picture => ({ track: asTrack(new FakeTrack(shows, shows, 'video')), shows });

function show(theirs: Picture | null, own: Picture | null) {
  const voice: CallMediaSnapshot = {
    ...{ peer: 'connected', playback: 'running', isLoudspeakerGone: false, theirs },
    microphone: { state: 'ready', deviceId: '', label: '' },
    video: { camera: { state: 'off' }, cameras: [], screen: 'off', own, pictures: new Map() },
  };
  render(
    <WithVoiceWords>
      <CallPictures voice={voice} name="Anaïs" Picture={FakePicture} />
    </WithVoiceWords>,
  );
}

test('[RING16] says whose picture it is, one’s own camera as in a mirror', async () => {
  show(shown('screen'), shown('camera'));
  expect(await screen.findByText('Écran d’Anaïs')).toBeVisible();
  expect(screen.getByText('Votre image, en miroir')).toBeVisible();
});

test('[RING16] a screen of one’s own is no mirror, and nobody’s picture takes no place', async () => {
  show(null, shown('screen'));
  expect(await screen.findByText('Votre écran')).toBeVisible();
  show(null, null);
  expect(document.querySelectorAll('[data-call-pictures]')).toHaveLength(1);
});
