import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { asTrack, FakeTrack } from '#test/fake-media-track.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { Shown, VoiceSnapshot } from './call-controller.ts';
import { CallPictures, type PictureOf } from './call-pictures.tsx';

const Picture: PictureOf = ({ label, isMirrored = false }) => <p>{`${label}${isMirrored ? ', en miroir' : ''}`}</p>;
const shown = (shows: Shown['shows']): Shown => ({ track: asTrack(new FakeTrack(shows, shows, 'video')), shows });

function show(theirs: Shown | null, own: Shown | null) {
  const voice: VoiceSnapshot = {
    ...{ peer: 'connected', microphone: { state: 'ready' }, playback: 'running', isLoudspeakerGone: false, theirs },
    video: { camera: { state: 'off' }, screen: 'off', own },
  };
  render(
    <WithVoiceWords>
      <CallPictures voice={voice} name="Anaïs" Picture={Picture} />
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
