import { expect, test } from 'vitest';
import { keepScreenOn } from './wake-lock.ts';

const settle = () => new Promise((done) => setTimeout(done));

function phone(refuses = false) {
  const target = new EventTarget();
  const page = { state: 'visible' as DocumentVisibilityState };
  const seen = { asked: 0, released: 0 };
  const document = {
    get visibilityState() {
      return page.state;
    },
    addEventListener: target.addEventListener.bind(target),
    removeEventListener: target.removeEventListener.bind(target),
  };
  const wakeLock = {
    request: async () => {
      seen.asked += 1;
      if (refuses) throw new DOMException('battery', 'NotAllowedError');
      return {
        release: async () => {
          seen.released += 1;
        },
      } as WakeLockSentinel;
    },
  };
  const show = (state: DocumentVisibilityState) => {
    page.state = state;
    target.dispatchEvent(new Event('visibilitychange'));
  };
  return { document, wakeLock, seen, show };
}

test('the screen stays on for as long as the room is shown, and again after the page was hidden', async () => {
  const { seen, show, ...platform } = phone();
  const stop = keepScreenOn(platform);
  await settle();
  show('hidden');
  expect(seen.asked).toBe(1);
  show('visible');
  await settle();
  expect(seen.asked).toBe(2);
  stop();
  show('visible');
  expect(seen).toEqual({ asked: 2, released: 1 });
});

test('a lock that is granted after the room was left is given back', async () => {
  const { seen, document, wakeLock } = phone();
  keepScreenOn({ document, wakeLock })();
  await settle();
  expect(seen).toEqual({ asked: 1, released: 1 });
});

test('a refusal, or a browser without it, changes nothing else', async () => {
  const { document, wakeLock, seen } = phone(true);
  const stop = keepScreenOn({ document, wakeLock });
  await settle();
  expect(seen.asked).toBe(1);
  stop();
  keepScreenOn({ document, wakeLock: undefined })();
});
