import type { ParticipantId } from '@pressel/contract/ids';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { createFakeSignalling } from '#test/fake-signalling.ts';
import { type Bench, CHANNEL, openRoom } from '#test/voice-bench.ts';
import { MUTE_GRACE_MS } from './microphone.ts';
import { bindTalkKey } from './page-talk.ts';
import type { Stop } from './platform.ts';
import { bindTalkButton } from './talk-button.ts';

const bound: Stop[] = [];
const keep = (unbind: Stop) => {
  bound.push(unbind);
  return unbind;
};
afterEach(() => {
  for (const unbind of bound.splice(0)) unbind();
  document.body.replaceChildren();
});

/** A room in which self is talking. */
const talking = async (begin: (bench: Bench) => void = ({ room }) => room.press()): Promise<Bench> => {
  const bench = await openRoom({ others: ['bob'] });
  begin(bench);
  await settle();
  expect(bench.isMicOpen()).toBe(true);
  expect(bench.room.getSnapshot().talk.state).toBe('talking');
  return bench;
};

const expectEnded = ({ isMicOpen, signalling, room }: Bench) => {
  expect(isMicOpen()).toBe(false);
  expect(signalling.sentOf('floor_release')).toEqual([{ channelId: CHANNEL, seq: 2 }]);
  expect(room.getSnapshot().talk.state).not.toBe('talking');
};

const button = () => {
  const element = document.createElement('button');
  element.setPointerCapture = () => undefined;
  document.body.append(element);
  return element;
};
const pointer = (type: string, init: PointerEventInit = {}) =>
  new PointerEvent(type, { bubbles: true, button: 0, pointerId: 7, ...init });
const key = (type: string, init: KeyboardEventInit = {}) =>
  new KeyboardEvent(type, { bubbles: true, cancelable: true, code: 'Space', ...init });
const hold = (target: EventTarget = document.body) => target.dispatchEvent(key('keydown'));

test.each([
  ['[TALK60] pointer up ends talk after the tail', 'pointerup'],
  ['[TALK61] pointer cancelled ends talk at once', 'pointercancel'],
  ['[TALK62] lost pointer capture ends talk at once', 'lostpointercapture'],
])('%s', async (_name, type) => {
  const element = button();
  const bench = await talking(({ room }) => {
    keep(bindTalkButton(room, element));
    element.dispatchEvent(pointer('pointerdown'));
  });
  element.dispatchEvent(pointer(type));
  if (type === 'pointerup') await bench.clock.advance(200);
  expectEnded(bench);
});

test('[TALK60] the button holds the pointer: a finger that slips off it cuts nobody off', async () => {
  const element = button();
  const held: number[] = [];
  element.setPointerCapture = (id) => void held.push(id);
  const bench = await talking(({ room }) => {
    keep(bindTalkButton(room, element));
    element.dispatchEvent(pointer('pointerdown'));
  });
  expect(held).toEqual([7]);
  for (const type of ['pointermove', 'pointerout', 'pointerleave'])
    element.dispatchEvent(pointer(type, { buttons: 1 }));
  await bench.clock.advance(500);
  expect(bench.isMicOpen()).toBe(true);
  expect(bench.signalling.sentOf('floor_release')).toEqual([]);
});

test('[TALK57] [TALK60] a mouse that holds the button leaves the focus in a field, and takes it from anything else', async () => {
  const [element, field] = [button(), document.createElement('textarea')];
  document.body.append(field);
  const bench = await openRoom({ others: ['bob'] });
  keep(bindTalkButton(bench.room, element));
  const user = userEvent.setup();
  await user.click(field);
  await user.keyboard('Salut');
  await user.pointer({ keys: '[MouseLeft>]', target: element });
  await settle();
  expect(bench.room.getSnapshot().talk.state).toBe('talking');
  expect(document.activeElement).toBe(field);
  await user.pointer('[/MouseLeft]');
  await bench.clock.advance(200);
  expectEnded(bench);
  expect([document.activeElement, field.value]).toEqual([field, 'Salut']);
  field.blur();
  await user.click(element);
  expect(document.activeElement).toBe(element);
});

test('[TALK63] key up of the talk key ends talk wherever the focus is by then', async () => {
  const bench = await talking(({ room }) => {
    room.pageTalk.setKey({ code: 'Space' });
    hold();
  });
  const field = document.createElement('input');
  document.body.append(field);
  field.addEventListener('keyup', (event) => event.stopPropagation());
  field.focus();
  field.dispatchEvent(key('keyup', { ctrlKey: true }));
  await bench.clock.advance(200);
  expectEnded(bench);
});

test('[TALK64] the window losing the focus ends talk at once', async () => {
  const bench = await talking();
  window.dispatchEvent(new Event('blur'));
  expectEnded(bench);
});

test('[TALK65] a hidden tab ends talk at once', async () => {
  const bench = await talking();
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
  Reflect.deleteProperty(document, 'visibilityState');
  expectEnded(bench);
});

test('[TALK65] leaving the page ends talk at once', async () => {
  const bench = await talking();
  window.dispatchEvent(new Event('pagehide'));
  expectEnded(bench);
});

test.each(['dialog', 'alertdialog', 'menu', 'listbox'])('[TALK66] a %s that opens ends talk at once', async (role) => {
  const bench = await talking();
  const [field, overlay] = [document.createElement('input'), document.createElement('div')];
  overlay.setAttribute('role', role);
  overlay.tabIndex = -1;
  document.body.append(field, overlay);
  field.focus();
  expect(bench.isMicOpen(), 'another focus ends nothing').toBe(true);
  overlay.focus();
  expectEnded(bench);
});

test('[TALK123] the focus that goes into a panel beside the room ends nothing', async () => {
  const bench = await talking();
  const panel = document.createElement('div');
  panel.innerHTML = '<div role="dialog" aria-modal="false"><button>mute</button></div>';
  document.body.append(panel);
  panel.querySelector('button')?.focus();
  expect(bench.isMicOpen()).toBe(true);
  expect(bench.room.getSnapshot().talk.state).toBe('talking');
});

test('[TALK67] unmounting the talk button ends the talk it began', async () => {
  const element = button();
  let unbind: Stop = () => undefined;
  const bench = await talking(({ room }) => {
    unbind = keep(bindTalkButton(room, element));
    element.dispatchEvent(pointer('pointerdown'));
  });
  unbind();
  expectEnded(bench);
});

test.each([
  ['the key', (bench: Bench) => keep(bindTalkKey(bench.room, { code: () => 'Space' }))],
  ['the room', (bench: Bench) => bench.room.close],
])('[TALK67] taking away %s ends talk at once', async (_name, bind) => {
  let unbind: Stop = () => undefined;
  const bench = await talking((fresh) => {
    unbind = bind(fresh);
    hold();
    fresh.room.press();
  });
  unbind();
  expectEnded(bench);
});

test('[TALK68] a press that has no floor yet ends with the link, at once, before others hear of the loss', async () => {
  const signalling = createFakeSignalling();
  const reported: unknown[] = [];
  vi.spyOn(window, 'reportError').mockImplementation((error) => void reported.push(error));
  let isOpen: boolean | undefined;
  signalling.onLink((link) => {
    if (link !== 'down') return;
    isOpen = bench.isMicOpen();
    throw new Error('a fault elsewhere');
  });
  const bench = await openRoom({ others: ['bob'], signalling });
  signalling.answer('floor_request', () => new Promise(() => undefined));
  bench.room.press();
  await settle();
  expect(bench.isMicOpen()).toBe(true);
  signalling.setLink('down');
  expect(isOpen, 'the microphone is closed before anybody else hears of the loss').toBe(false);
  expect(bench.room.getSnapshot().talk).toMatchObject({ state: 'denied', reason: 'unanswered' });
  expect(reported).toHaveLength(1);
});

test('[TALK69] an unplugged microphone ends talk at once, and another one does not open by itself', async () => {
  const bench = await talking();
  bench.microphones.devices = ['headset'];
  const first = bench.microphones.current();
  first.end();
  expect(first.enabled).toBe(false);
  expect(bench.signalling.sentOf('floor_release')).toEqual([{ channelId: CHANNEL, seq: 2 }]);
  await settle();
  expectEnded(bench);
  expect(bench.room.getSnapshot().microphone).toMatchObject({ state: 'ready', label: 'headset' });
  expect(bench.isMicOpen()).toBe(false);
  expect(bench.room.getSnapshot().talk).toMatchObject({ state: 'denied', reason: 'microphone' });
});

test('[TALK121] a microphone that is muted by something else ends talk, and presses are refused until it is back', async () => {
  const bench = await talking();
  bench.microphones.current().mute();
  await bench.clock.advance(MUTE_GRACE_MS);
  expectEnded(bench);
  expect(bench.room.getSnapshot().talk).toMatchObject({ state: 'denied', reason: 'microphone' });
  expect(bench.room.getSnapshot().microphone).toEqual({ state: 'unavailable', reason: 'muted' });
  bench.room.release();
  bench.microphones.isMuted = true;
  bench.room.press();
  await settle();
  expect(bench.room.getSnapshot().talk).toMatchObject({ state: 'denied', reason: 'microphone' });
  expect(bench.signalling.sentOf('floor_request')).toHaveLength(1);
  expect(bench.microphones.given, 'the press opened it anew').toHaveLength(2);
  bench.room.release();
  bench.microphones.current().mute(false);
  bench.room.press();
  await settle();
  expect(bench.room.getSnapshot().talk.state).toBe('talking');
  expect(bench.isMicOpen()).toBe(true);
});

test('[TALK121] a mute of a moment in the middle of a talk ends nothing', async () => {
  const bench = await talking();
  bench.microphones.current().mute();
  await bench.clock.advance(MUTE_GRACE_MS - 1);
  bench.microphones.current().mute(false);
  await bench.clock.advance(MUTE_GRACE_MS);
  expect(bench.room.getSnapshot().talk.state).toBe('talking');
  expect(bench.isMicOpen()).toBe(true);
});

test('[TALK70] a withdrawn permission ends talk at once', async () => {
  const bench = await talking();
  bench.microphones.permit('denied');
  expectEnded(bench);
  expect(bench.room.getSnapshot().microphone).toEqual({ state: 'unavailable', reason: 'refused' });
});

test('[TALK18] [TALK71] a floor that is said to be revoked again keeps its reason, and sounds once', async () => {
  const bench = await talking();
  const revoked = { type: 'revoked', channelId: CHANNEL, seq: 1 } as const;
  bench.signalling.emit('floor_reply', { ...revoked, reason: 'preempted', byName: 'Admin' });
  const tones = [...bench.audio.tones];
  bench.signalling.emit('floor_reply', { ...revoked, reason: 'lease_expired' });
  expect(bench.room.getSnapshot().talk).toEqual({ state: 'revoked', reason: 'preempted', byName: 'Admin' });
  expect(bench.audio.tones).toEqual(tones);
});

test('[TALK71] a revoked floor closes the microphone at once and needs a fresh press', async () => {
  const bench = await talking();
  const self = 'self' as ParticipantId;
  bench.signalling.emit('floor_reply', {
    type: 'revoked',
    channelId: CHANNEL,
    seq: 1,
    reason: 'preempted',
    byName: 'Admin',
  });
  expect(bench.isMicOpen()).toBe(false);
  expect(bench.room.getSnapshot().talk).toEqual({ state: 'revoked', reason: 'preempted', byName: 'Admin' });
  await bench.clock.advance(5_000);
  expect(bench.isMicOpen()).toBe(false);
  expect(bench.room.level(self)).toBe(0);
  bench.room.release();
  bench.room.press();
  await settle();
  expect(bench.isMicOpen()).toBe(true);
});

test('[TALK72] leaving the room ends talk and tells the floor before the room', async () => {
  const bench = await talking();
  bench.room.close();
  expectEnded(bench);
  expect(bench.signalling.sent.slice(-2).map(({ event }) => event)).toEqual(['floor_release', 'leave_room']);
});

test.each(['removed', 'deleted', 'signed_out'] as const)(
  '[TALK72] a room that closes (%s) ends talk',
  async (reason) => {
    const bench = await talking();
    bench.signalling.emit('room_closed', { channelId: CHANNEL, reason });
    expectEnded(bench);
    expect(bench.room.getSnapshot().status).toEqual({ state: 'closed', reason });
    expect(bench.microphones.current().readyState).toBe('ended');
  },
);
