import { browserClock } from './browser-clock.ts';
import { followLoudspeaker, type Loudspeaker } from './loudspeaker.ts';
import type { TestDevices } from './microphone-test.ts';

/** What a test of the microphone needs, in a real browser. What is recorded stays in the page's memory until it was played. */
export const browserTestDevices = (loudspeaker: Loudspeaker): TestDevices => ({
  clock: browserClock(),
  record(track) {
    const recorder = new MediaRecorder(new MediaStream([track]));
    const { promise, resolve, reject } = Promise.withResolvers<Blob>();
    const pieces: Blob[] = [];
    recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
    recorder.addEventListener('stop', () => resolve(new Blob(pieces, { type: recorder.mimeType })));
    recorder.addEventListener('error', () => reject(new Error('the recorder failed')));
    // Nobody may ever ask for it.
    promise.catch(() => undefined);
    recorder.start();
    return {
      stop() {
        if (recorder.state !== 'inactive') recorder.stop();
        return promise;
      },
    };
  },
  play(sound, onEnd) {
    const address = URL.createObjectURL(sound);
    const element = document.createElement('audio');
    const unfollow = followLoudspeaker(element, loudspeaker);
    let isOver = false;
    const close = () => {
      isOver = true;
      unfollow();
      element.pause();
      element.removeAttribute('src');
      URL.revokeObjectURL(address);
    };
    const end = (isPlayed: boolean) => {
      if (isOver) return;
      close();
      onEnd(isPlayed);
    };
    element.addEventListener('ended', () => end(true));
    element.addEventListener('error', () => end(false));
    element.src = address;
    element.play().catch(() => end(false));
    return { close };
  },
  isShown: () => document.visibilityState === 'visible',
  onShownChanged(handler) {
    document.addEventListener('visibilitychange', handler);
    return () => document.removeEventListener('visibilitychange', handler);
  },
});
