import { afterEach, expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { type Bench, openRoom } from '#test/voice-bench.ts';
import { bindButtonActs } from './button-acts.ts';
import type { Stop } from './platform.ts';
import { bindPageGuards, bindTalkKey } from './release-guards.ts';

const bound: Stop[] = [];
afterEach(() => {
  for (const unbind of bound.splice(0)) unbind();
  document.body.replaceChildren();
});

/** A room, its button, and everything that the page binds; F8 is the talk key. */
const open = async (talkKey = 'F8') => {
  const bench = await openRoom();
  const element = document.createElement('button');
  document.body.append(element);
  const unbind = bindButtonActs(bench.room, element);
  bound.push(unbind, bindPageGuards(bench.room), bindTalkKey(bench.room, { code: () => talkKey }));
  const key = (type: 'keydown' | 'keyup', code: string, init: KeyboardEventInit = {}, target: Element = element) => {
    const event = new KeyboardEvent(type, { bubbles: true, cancelable: true, code, ...init });
    target.dispatchEvent(event);
    return event;
  };
  return { ...bench, element, unbind, key };
};
const requests = ({ signalling }: Bench) => signalling.sentOf('floor_request').length;

test.each(['Space', 'Enter', 'NumpadEnter'])(
  '[TALK54] %s held on the button talks, also with another talk key',
  async (code) => {
    const bench = await open();
    expect(bench.key('keydown', code).defaultPrevented).toBe(true);
    bench.key('keydown', code, { repeat: true });
    await settle();
    expect(bench.isMicOpen()).toBe(true);
    // Wherever the focus is by then.
    bench.key('keyup', code, {}, document.body);
    await bench.clock.advance(200);
    expect(bench.isMicOpen()).toBe(false);
    expect(requests(bench)).toBe(1);
    expect(bench.signalling.sentOf('floor_release')).toEqual([{ seq: 2 }]);
  },
);

test('[TALK54] the talk key on the button is one press, and other keys none', async () => {
  const bench = await open('Space');
  bench.key('keydown', 'Space');
  bench.key('keyup', 'Space');
  bench.key('keydown', 'KeyA');
  bench.key('keydown', 'Enter', { ctrlKey: true });
  await settle();
  expect(requests(bench)).toBe(1);
});

test('[TALK64] a key that is still down after the window lost the focus neither talks nor clicks', async () => {
  const bench = await open();
  bench.key('keydown', 'Space');
  window.dispatchEvent(new Event('blur'));
  expect(bench.isMicOpen()).toBe(false);
  expect(bench.key('keydown', 'Space', { repeat: true }).defaultPrevented).toBe(true);
  expect(bench.key('keyup', 'Space').defaultPrevented).toBe(true);
  await settle();
  expect(requests(bench)).toBe(1);
});

test('[TALK55] a click that no pointer made begins a talk, and the next one ends it', async () => {
  const bench = await open();
  bench.element.click();
  await settle();
  expect(bench.isMicOpen()).toBe(true);
  expect(bench.room.getSnapshot().talk.state).toBe('talking');
  bench.element.click();
  await bench.clock.advance(200);
  expect(bench.isMicOpen()).toBe(false);
  bench.element.dispatchEvent(new MouseEvent('click', { detail: 1 }));
  expect(requests(bench)).toBe(1);
});

test.each<[string, (bench: Awaited<ReturnType<typeof open>>) => void]>([
  ['the window loses the focus', () => window.dispatchEvent(new Event('blur'))],
  ['a dialog opens', ({ room }) => room.stop()],
  ['the button is unmounted', ({ unbind }) => unbind()],
  ['the microphone is taken away', ({ microphones }) => microphones.permit('denied')],
  ['the link is lost', ({ signalling }) => signalling.setLink('down')],
])('[TALK55] a talk by click ends when %s', async (_name, act) => {
  const bench = await open();
  bench.element.click();
  await settle();
  act(bench);
  expect(bench.isMicOpen()).toBe(false);
});

test('[TALK55] a talk by click ends at the time limit, and begins anew by the second click after it', async () => {
  const bench = await open();
  bench.element.click();
  await bench.clock.advance(30_500);
  expect(bench.isMicOpen()).toBe(false);
  expect(bench.room.getSnapshot().talk).toMatchObject({ state: 'revoked', reason: 'time_limit' });
  bench.element.click();
  expect(bench.room.getSnapshot().talk.state).toBe('idle');
  bench.element.click();
  expect(bench.isMicOpen()).toBe(true);
});
