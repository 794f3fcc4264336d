import { afterEach, describe, expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { CHANNEL, openRoom } from '#test/voice-bench.ts';
import { MUTE_GRACE_MS } from './microphone.ts';
import type { Stop } from './platform.ts';
import { bindButtonActs, bindTalkButton } from './talk-button.ts';

const bound: Stop[] = [];
afterEach(() => {
  for (const unbind of bound.splice(0)) unbind();
  document.body.replaceChildren();
});

/** A room with everything that its page binds, and another talk button, as in the room bar. */
const open = async () => {
  const bench = await openRoom({ others: ['bob'] });
  const bindButton = () => {
    const element = document.createElement('button');
    element.setPointerCapture = () => undefined;
    document.body.append(element);
    const stops = [bindTalkButton(bench.room, element), bindButtonActs(bench.room, element, window, bench.clock)];
    const unbind = () => {
      for (const stop of stops.splice(0)) stop();
    };
    bound.push(unbind);
    return { element, unbind };
  };
  const [button, bar] = [bindButton(), bindButton()];
  bench.room.pageTalk.setKey({ code: 'Space' });
  const key = (type: 'keydown' | 'keyup', init: KeyboardEventInit = {}) =>
    document.body.dispatchEvent(new KeyboardEvent(type, { bubbles: true, cancelable: true, code: 'Space', ...init }));
  const point = (type: string, pointerId = 7, element: Element = button.element, buttons = 1) =>
    element.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, buttons, pointerId }));
  const talk = () => bench.room.getSnapshot().talk.state;
  const isOn = () => [talk(), bench.isMicOpen()];
  /** Holds the talk both ways at once. */
  const holdBoth = async () => {
    key('keydown');
    point('pointerdown');
    await settle();
    expect(isOn()).toEqual(['talking', true]);
  };
  return { ...bench, button, bar, key, point, isOn, holdBoth };
};
type Opened = Awaited<ReturnType<typeof open>>;

const ON = ['talking', true];
const OFF = ['idle', false];

describe('[TALK119] held in two ways, a talk lasts until the last is let go', () => {
  test.each<[string, (room: Opened) => void, (room: Opened) => void]>([
    ['the key, then the pointer', ({ key }) => key('keyup'), ({ point }) => point('pointerup')],
    ['the pointer, then the key', ({ point }) => point('pointerup'), ({ key }) => key('keyup')],
    ['a pointer that is cancelled, then the key', ({ point }) => point('pointercancel'), ({ key }) => key('keyup')],
    [
      'a pointer that loses its capture, then the key',
      ({ point }) => point('lostpointercapture'),
      ({ key }) => key('keyup'),
    ],
  ])('%s', async (_name, first, last) => {
    const room = await open();
    await room.holdBoth();
    first(room);
    await room.clock.advance(5_000);
    expect(room.isOn()).toEqual(ON);
    expect(room.signalling.sentOf('floor_release')).toEqual([]);
    last(room);
    expect(room.isMicOpen(), 'the tail').toBe(true);
    await room.clock.advance(200);
    expect(room.isOn()).toEqual(OFF);
    expect(room.signalling.sentOf('floor_request')).toHaveLength(1);
    expect(room.signalling.sentOf('floor_release')).toHaveLength(1);
  });

  test('a pointer that is cancelled last ends it without a tail', async () => {
    const room = await open();
    await room.holdBoth();
    room.key('keyup');
    room.point('pointercancel');
    expect(room.isOn()).toEqual(OFF);
  });

  test.each([
    ['two fingers on one button', false],
    ['one finger on each of two buttons', true],
  ])('%s', async (_name, isOther) => {
    const room = await open();
    const second = isOther ? room.bar.element : room.button.element;
    room.point('pointerdown', 1);
    room.point('pointerdown', 2, second);
    await settle();
    room.point('pointerup', 1);
    await room.clock.advance(1_000);
    expect(room.isOn()).toEqual(ON);
    room.point('pointerup', 2, second);
    await room.clock.advance(200);
    expect(room.isOn()).toEqual(OFF);
  });

  test('a pointer that is seen without a button down was let go, although nobody said so', async () => {
    const room = await open();
    room.point('pointerdown');
    await settle();
    room.point('pointermove', 7, room.button.element, 1);
    expect(room.isOn()).toEqual(ON);
    room.point('pointermove', 7, room.button.element, 0);
    expect(room.isOn()).toEqual(OFF);
  });
});

const hide = () => {
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
  Reflect.deleteProperty(document, 'visibilityState');
};
const openDialog = () => {
  const dialog = document.createElement('div');
  dialog.setAttribute('role', 'dialog');
  dialog.tabIndex = -1;
  document.body.append(dialog);
  dialog.focus();
};
const preempt = ({ signalling }: Opened) => {
  const { seq } = signalling.sentOf('floor_request').at(-1) ?? { seq: 0 };
  signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq, reason: 'preempted', byName: 'Admin' });
};

describe('[TALK119] every other way out ends it at once, whatever still holds it', () => {
  test.each<[string, (room: Opened) => void | Promise<void>, isLeft?: true]>([
    ['the window loses the focus', () => void window.dispatchEvent(new Event('blur'))],
    ['the tab is hidden', hide],
    ['the page is left', () => void window.dispatchEvent(new Event('pagehide'))],
    ['a dialog opens', openDialog],
    ['the button is unmounted', ({ button }) => button.unbind()],
    [
      'the microphone is muted',
      ({ microphones, clock }) => {
        microphones.current().mute();
        return clock.advance(MUTE_GRACE_MS);
      },
    ],
    ['the permission is withdrawn', ({ microphones }) => microphones.permit('denied')],
    ['somebody of higher priority talks', preempt],
    ['the talk’s time is over', ({ clock }) => clock.advance(30_500)],
    ['the room is left', ({ room }) => room.close(), true],
  ])('%s', async (_name, act, isLeft) => {
    const opened = await open();
    await opened.holdBoth();
    await act(opened);
    expect(opened.isMicOpen()).toBe(false);
    // The remaining holds are released one after the other; they neither talk nor repeat.
    opened.key('keydown', { repeat: true });
    opened.point('pointerup');
    opened.key('keydown', { repeat: true });
    opened.key('keyup');
    await opened.clock.advance(1_000);
    expect(opened.isMicOpen()).toBe(false);
    expect(opened.signalling.sentOf('floor_request')).toHaveLength(1);
    if (!isLeft) expect(opened.isOn()).toEqual(OFF);
  });

  test('a new press is not ended by what was down in the talk before', async () => {
    const room = await open();
    await room.holdBoth();
    preempt(room);
    expect(room.isOn()).toEqual(['revoked', false]);
    room.point('pointerup');
    await room.clock.advance(1_000);
    expect(room.isOn(), 'why is shown for as long as anything is down').toEqual(['revoked', false]);
    room.point('pointerdown', 8);
    await settle();
    expect(room.isOn()).toEqual(ON);
    room.key('keyup');
    await room.clock.advance(1_000);
    expect(room.isOn()).toEqual(ON);
    room.point('pointerup', 8);
    await room.clock.advance(200);
    expect(room.isOn()).toEqual(OFF);
  });

  test('a key that goes up while another window has the focus holds no later talk', async () => {
    const room = await open();
    await room.holdBoth();
    window.dispatchEvent(new Event('blur'));
    room.point('pointerup');
    room.point('pointerdown', 8);
    await settle();
    expect(room.isOn()).toEqual(ON);
    room.point('pointerup', 8);
    await room.clock.advance(200);
    expect(room.isOn()).toEqual(OFF);
  });
});

describe('[TALK119] a talk that no hand holds', () => {
  test.each<[string, (room: Opened) => void, (room: Opened) => void]>([
    ['key', ({ key }) => key('keydown'), ({ key }) => key('keyup')],
    ['pointer', ({ point }) => point('pointerdown'), ({ point }) => point('pointerup')],
  ])('by a click, is taken over by a %s, and ends with it', async (_name, down, up) => {
    const room = await open();
    room.button.element.click();
    await settle();
    expect(room.isOn()).toEqual(ON);
    down(room);
    await room.clock.advance(1_000);
    expect(room.isOn()).toEqual(ON);
    up(room);
    await room.clock.advance(200);
    expect(room.isOn()).toEqual(OFF);
    expect(room.signalling.sentOf('floor_request')).toHaveLength(1);
  });

  test('[CALL4] as by the page that hosts this one, is taken over by a hand, and its end is the end of all', async () => {
    const room = await open();
    await room.holdBoth();
    room.room.release();
    await room.clock.advance(200);
    expect(room.isOn()).toEqual(OFF);
    room.key('keyup');
    room.point('pointerup');
    room.room.press();
    await settle();
    expect(room.isOn()).toEqual(ON);
    room.point('pointerdown', 9);
    room.room.press();
    room.point('pointerup', 9);
    await room.clock.advance(200);
    expect(room.isOn()).toEqual(OFF);
  });
});
