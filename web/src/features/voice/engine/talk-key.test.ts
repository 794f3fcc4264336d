import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bindTalkKey } from './page-talk.ts';
import type { Stop } from './platform.ts';
import { bindTalkButton } from './talk-button.ts';

const talk = { press: vi.fn(), release: vi.fn(), stop: vi.fn() };
let code = 'Space';
let unbind: Stop = () => undefined;

beforeEach(() => {
  for (const method of Object.values(talk)) method.mockClear();
  code = 'Space';
  unbind = bindTalkKey(talk, { code: () => code });
});
afterEach(() => {
  unbind();
  document.body.replaceChildren();
});

const put = (html: string): Element => {
  document.body.innerHTML = html;
  const found = document.querySelector('[data-here]');
  if (found === null) throw new Error('nothing is marked');
  return found;
};
const send = (type: 'keydown' | 'keyup', target: EventTarget = document.body, init: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent(type, { bubbles: true, cancelable: true, code: 'Space', ...init });
  target.dispatchEvent(event);
  return event;
};

test.each([
  '<input data-here>',
  '<input type="search" data-here>',
  '<textarea data-here></textarea>',
  '<select data-here></select>',
  '<div contenteditable="true"><b data-here>x</b></div>',
  '<div role="dialog"><button data-here>ok</button></div>',
  '<dialog open><button data-here>ok</button></dialog>',
  '<div role="menu"><button role="menuitem" data-here>edit</button></div>',
])('the talk key does not talk where keys are meant for something else: %s', (html) => {
  const event = send('keydown', put(html));
  expect(talk.press).not.toHaveBeenCalled();
  expect(event.defaultPrevented).toBe(false);
});

test.each([
  '<p data-here>text</p>',
  '<button data-here>talk</button>',
  '<input type="checkbox" data-here>',
  '<a href="#x" data-here>link</a>',
])('the talk key talks, and neither clicks nor scrolls, on %s', (html) => {
  const here = put(html);
  expect(send('keydown', here).defaultPrevented).toBe(true);
  expect(talk.press).toHaveBeenCalledTimes(1);
  expect(send('keyup', here).defaultPrevented).toBe(true);
  expect(talk.release).toHaveBeenCalledTimes(1);
});

const PANEL = (inside: string) => `<div role="dialog" aria-modal="false" tabindex="-1"${inside}</div>`;

test.each([
  ['the panel itself', PANEL(' data-here>')],
  ['words in it', PANEL('><p data-here>text</p>')],
])('[TALK123] in a panel that isn’t modal the talk key talks: on %s', (_name, html) => {
  expect(send('keydown', put(html)).defaultPrevented).toBe(true);
  expect(talk.press).toHaveBeenCalledTimes(1);
});

test('[TALK123] Space presses a button of such a panel, and any other talk key talks there', () => {
  const here = put(PANEL('><button data-here>mute</button>'));
  expect(send('keydown', here).defaultPrevented).toBe(false);
  expect(send('keyup', here).defaultPrevented).toBe(false);
  expect(talk.press).not.toHaveBeenCalled();
  code = 'F8';
  unbind();
  unbind = bindTalkKey(talk, { code: () => code, isOnItsPage: () => false });
  expect(send('keydown', here, { code }).defaultPrevented).toBe(true);
  expect(talk.press, 'also on other pages than the room’s').toHaveBeenCalledTimes(1);
});

test('[TALK123] a menu or a dialog within such a panel is one all the same', () => {
  send('keydown', put(PANEL('><div role="menu"><b data-here>edit</b></div>')));
  expect(talk.press).not.toHaveBeenCalled();
});

test.each(['ctrlKey', 'altKey', 'metaKey'])('with %s the key is a shortcut of something else', (modifier) => {
  send('keydown', document.body, { [modifier]: true });
  expect(talk.press).not.toHaveBeenCalled();
});

test('[TALK44] key repeat presses nothing, also after talk was stopped', () => {
  send('keydown');
  send('keydown', document.body, { repeat: true });
  window.dispatchEvent(new Event('blur'));
  send('keydown', document.body, { repeat: true });
  expect(talk.press).toHaveBeenCalledTimes(1);
});

test('[TALK63] the key that is held releases even if another key was chosen meanwhile', () => {
  send('keydown');
  code = 'KeyT';
  send('keyup');
  expect(talk.release).toHaveBeenCalledTimes(1);
});

test('[TALK63] Command coming up releases: macOS swallows the key-up of what was held with it', () => {
  send('keydown');
  send('keyup', document.body, { code: 'MetaLeft' });
  expect(talk.release).toHaveBeenCalledTimes(1);
});

test('a modifier can be the talk key itself', () => {
  code = 'ControlRight';
  send('keydown', document.body, { code, ctrlKey: true });
  expect(talk.press).toHaveBeenCalledTimes(1);
});

test('the talk button takes the main button, touch and pen, and tells which of them is let go', () => {
  const element = document.createElement('button');
  element.setPointerCapture = () => undefined;
  const undo = bindTalkButton(talk, element);
  const pointer = (type: string, init: PointerEventInit) => element.dispatchEvent(new PointerEvent(type, init));
  pointer('pointerdown', { pointerId: 1, button: 2 });
  expect(talk.press).not.toHaveBeenCalled();
  pointer('pointerdown', { pointerId: 1, button: 0, pointerType: 'touch' });
  pointer('pointerdown', { pointerId: 2, button: 0, pointerType: 'touch' });
  const [first, second] = talk.press.mock.calls.flat();
  expect(first).not.toBe(second);
  pointer('pointerup', { pointerId: 2 });
  pointer('pointerup', { pointerId: 1 });
  pointer('lostpointercapture', { pointerId: 1 });
  expect(talk.release.mock.calls).toEqual([[second], [first]]);
  expect(talk.stop).not.toHaveBeenCalled();
  const menu = new Event('contextmenu', { cancelable: true });
  element.dispatchEvent(menu);
  expect(menu.defaultPrevented).toBe(true);
  undo();
});
