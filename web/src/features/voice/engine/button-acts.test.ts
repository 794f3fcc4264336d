import { afterEach, expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import { type Bench, CHANNEL, floorOf, openRoom } from '#test/voice-bench.ts';
import type { Stop } from './platform.ts';
import { bindButtonActs } from './talk-button.ts';
import { OUTCOME_MS } from './talk-holds.ts';

const bound: Stop[] = [];
afterEach(() => {
  for (const unbind of bound.splice(0)) unbind();
  document.body.replaceChildren();
});

/** A room, its button, and everything that the page binds; F8 is the talk key. */
const open = async (talkKey = 'F8') => {
  const bench = await openRoom({ others: ['bob'] });
  const element = document.createElement('button');
  document.body.append(element);
  const unbind = bindButtonActs(bench.room, element, window, bench.clock);
  bound.push(unbind);
  bench.room.pageTalk.setKey({ code: talkKey });
  const key = (type: 'keydown' | 'keyup', code: string, init: KeyboardEventInit = {}, target: Element = element) => {
    const event = new KeyboardEvent(type, { bubbles: true, cancelable: true, code, ...init });
    target.dispatchEvent(event);
    return event;
  };
  return { ...bench, element, unbind, key };
};
const talkOf = ({ room }: Bench) => room.getSnapshot().talk;
const openDialog = () => {
  const dialog = document.createElement('div');
  dialog.setAttribute('role', 'dialog');
  dialog.tabIndex = -1;
  document.body.append(dialog);
  dialog.focus();
};
const hide = () => {
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
  Reflect.deleteProperty(document, 'visibilityState');
};
const preempt = ({ signalling }: Bench) => {
  const { seq } = signalling.sentOf('floor_request').at(-1) ?? { seq: 0 };
  signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq, reason: 'preempted', byName: 'Admin' });
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
    // The key goes up wherever the focus is by then.
    bench.key('keyup', code, {}, document.body);
    await bench.clock.advance(200);
    expect(bench.isMicOpen()).toBe(false);
    expect(requests(bench)).toBe(1);
    expect(bench.signalling.sentOf('floor_release')).toEqual([{ channelId: CHANNEL, seq: 2 }]);
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

test('[TALK67] a button that is unmounted while a key holds it ends the talk: nothing else would hear the key go up', async () => {
  const bench = await open();
  bench.key('keydown', 'Space');
  await settle();
  expect(bench.isMicOpen()).toBe(true);
  bench.unbind();
  expect(bench.isMicOpen()).toBe(false);
  expect(bench.signalling.sentOf('floor_release')).toEqual([{ channelId: CHANNEL, seq: 2 }]);
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
  ['the tab is hidden', hide],
  ['a dialog opens', openDialog],
  ['the button is unmounted', ({ unbind }) => unbind()],
  ['the microphone is taken away', ({ microphones }) => microphones.permit('denied')],
  ['somebody of higher priority talks', preempt],
  ['the room is left', ({ room }) => room.close()],
])('[TALK55] a talk by click ends when %s, and none begins by itself', async (_name, act) => {
  const bench = await open();
  bench.element.click();
  await settle();
  expect(talkOf(bench).state).toBe('talking');
  act(bench);
  expect(bench.isMicOpen()).toBe(false);
  await bench.clock.advance(OUTCOME_MS);
  expect(bench.isMicOpen()).toBe(false);
  expect(talkOf(bench).state).toBe('idle');
  expect(requests(bench)).toBe(1);
});

test('[TALK55] a talk by click ends at the time limit, and the next click begins anew', async () => {
  const bench = await open();
  bench.element.click();
  await bench.clock.advance(30_500);
  expect(bench.isMicOpen()).toBe(false);
  expect(talkOf(bench)).toMatchObject({ state: 'revoked', reason: 'time_limit' });
  bench.element.click();
  expect(bench.isMicOpen()).toBe(true);
});

const refuse = (bench: Bench) => {
  bench.signalling.emit('floor_changed', floorOf(2, ['bob']));
  bench.signalling.answer('floor_request', ({ seq }) =>
    ok<'floor_request'>({ type: 'denied', channelId: CHANNEL, seq, reason: 'queue_full' }),
  );
};
const grant = (bench: Bench) => {
  bench.signalling.emit('floor_changed', floorOf(3));
  bench.signalling.answer('floor_request', ({ seq }) =>
    ok<'floor_request'>({ type: 'granted', channelId: CHANNEL, seq, talkMs: 30_000, leaseMs: 2_400 }),
  );
};

test('[TALK55] a click that is refused says so for a while, then it is held no more', async () => {
  const bench = await open();
  refuse(bench);
  bench.element.click();
  await settle();
  await bench.clock.advance(OUTCOME_MS - 1);
  expect(talkOf(bench)).toMatchObject({ state: 'denied', reason: 'queue_full' });
  await bench.clock.advance(1);
  expect(talkOf(bench).state).toBe('idle');
});

test.each([
  ['refused', refuse],
  ['revoked', () => undefined],
])('[TALK55] the talk key talks at once after a click that was %s, for as long as it is held', async (_how, before) => {
  const bench = await open();
  before(bench);
  bench.element.click();
  await settle();
  if (before !== refuse) preempt(bench);
  grant(bench);
  bench.key('keydown', 'F8', {}, document.body);
  await settle();
  expect([talkOf(bench).state, bench.isMicOpen()]).toEqual(['talking', true]);
  await bench.clock.advance(OUTCOME_MS * 2);
  expect([talkOf(bench).state, bench.isMicOpen()], 'the end of the click is not that of the key').toEqual([
    'talking',
    true,
  ]);
  bench.key('keyup', 'F8', {}, document.body);
  await bench.clock.advance(200);
  expect(bench.isMicOpen()).toBe(false);
});
