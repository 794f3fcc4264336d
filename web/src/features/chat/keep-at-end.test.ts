import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EndKeeper, keepAtEnd } from './keep-at-end.ts';

/** A scroller without a browser: the test sets its sizes and calls its observers. */
function open() {
  const place = { scrollTop: 0, clientHeight: 100, scrollHeight: 1_000 };
  const element = document.createElement('div');
  for (const name of ['scrollTop', 'clientHeight', 'scrollHeight'] as const) {
    Object.defineProperty(element, name, { get: () => place[name] });
  }
  const toEnd = vi.fn(() => scrollTo(place.scrollHeight - place.clientHeight));
  const keeper = keepAtEnd(element, document.createElement('ol'), toEnd);
  const scrollTo = (top: number) => {
    place.scrollTop = top;
    element.dispatchEvent(new Event('scroll'));
  };
  return {
    keeper,
    scrollTo,
    toEnd,
    resize(change: Partial<typeof place>) {
      Object.assign(place, change);
      for (const tell of observers) tell();
    },
    distance: () => place.scrollHeight - place.scrollTop - place.clientHeight,
  };
}

let observers: (() => void)[] = [];
let opened: EndKeeper | undefined;
beforeEach(() => {
  observers = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(tell: () => void) {
        observers.push(tell);
      }
      observe() {}
      disconnect() {
        observers = [];
      }
    },
  );
});
afterEach(() => {
  opened?.close();
  vi.unstubAllGlobals();
});

test('[CHATS7] a list opened at its end stays there while its rows are measured and its place gets lower', () => {
  const list = open();
  opened = list.keeper;
  list.keeper.setFollowing(true);
  list.toEnd();
  list.resize({ scrollHeight: 1_469 });
  expect(list.distance()).toBe(0);
  list.resize({ clientHeight: 40 });
  expect(list.distance()).toBe(0);
});

test('[CHATS7] who scrolled up is left there, until they are at the end again', () => {
  const list = open();
  opened = list.keeper;
  list.scrollTo(900);
  list.scrollTo(600);
  list.resize({ clientHeight: 40, scrollHeight: 1_200 });
  expect(list.toEnd).not.toHaveBeenCalled();
  // On the way down, not there yet.
  list.scrollTo(800);
  list.resize({ scrollHeight: 1_300 });
  expect(list.toEnd).not.toHaveBeenCalled();
  list.scrollTo(1_250);
  list.resize({ scrollHeight: 1_400 });
  expect(list.distance()).toBe(0);
});

test('a list that was sent elsewhere, and a closed one, are left alone', () => {
  const list = open();
  list.scrollTo(900);
  list.keeper.setFollowing(false);
  list.resize({ clientHeight: 40 });
  list.scrollTo(960);
  list.keeper.close();
  list.scrollTo(900);
  list.resize({ clientHeight: 20 });
  expect(list.toEnd).not.toHaveBeenCalled();
});
