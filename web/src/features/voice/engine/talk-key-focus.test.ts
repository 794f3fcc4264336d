import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bindTalkKey } from './page-talk.ts';
import type { Stop } from './platform.ts';

const talk = { press: vi.fn(), release: vi.fn(), stop: vi.fn() };
let code = 'Space';
let isOnItsPage = true;
let unbind: Stop = () => undefined;

beforeEach(() => {
  for (const method of Object.values(talk)) method.mockClear();
  code = 'Space';
  isOnItsPage = true;
  unbind = bindTalkKey(talk, { code: () => code, isOnItsPage: () => isOnItsPage });
});
afterEach(() => {
  unbind();
  document.body.replaceChildren();
});

const put = (html: string) => {
  document.body.innerHTML = `<p data-beside>beside</p>${html}`;
  const here = document.querySelector<HTMLElement>('[data-here]');
  if (here === null) throw new Error('nothing is marked');
  const clicks = vi.fn();
  here.addEventListener('click', clicks);
  return { here, clicks, beside: document.querySelector<HTMLElement>('[data-beside]') as HTMLElement };
};

test.each([
  '<button data-here>Messages</button>',
  '<input type="checkbox" data-here>',
  '<details><summary data-here tabindex="0">more</summary></details>',
  '<div role="switch" tabindex="0" data-here>share</div>',
  '<div role="tab" tabindex="0" data-here>members</div>',
])('[KEYS12] Space is the control’s to which the Tab key led: %s', async (html) => {
  const user = userEvent.setup();
  const { here } = put(html);
  await user.tab();
  expect(here).toHaveFocus();
  const events: boolean[] = [];
  const note = (event: Event) => events.push(event.defaultPrevented);
  for (const type of ['keydown', 'keyup']) document.body.addEventListener(type, note);
  await user.keyboard('[Space][Space]');
  for (const type of ['keydown', 'keyup']) document.body.removeEventListener(type, note);
  expect(talk.press).not.toHaveBeenCalled();
  expect(events).toEqual([false, false, false, false]);
});

test('[KEYS12] Space presses the button, as often as it is pressed, and talks again once a pointer was used', async () => {
  const user = userEvent.setup();
  const { here, clicks, beside } = put('<button data-here>Messages</button>');
  await user.tab();
  await user.keyboard('[Space][Space]');
  expect(clicks).toHaveBeenCalledTimes(2);
  // Clicks the button that still has the focus; browsers leave its focus ring as it is.
  await user.click(here);
  clicks.mockClear();
  await user.keyboard('[Space]');
  expect(talk.press).toHaveBeenCalledTimes(1);
  expect(talk.release).toHaveBeenCalledTimes(1);
  await user.click(beside);
  await user.keyboard('[Space]');
  expect(talk.press).toHaveBeenCalledTimes(2);
  expect(clicks).not.toHaveBeenCalled();
});

test('[KEYS12] after a click Space talks for as long as the focus stays: talking is not moving by keyboard', async () => {
  const user = userEvent.setup();
  const { here, clicks } = put('<button data-here>Messages</button><button data-next>Members</button>');
  await user.click(here);
  clicks.mockClear();
  // Chromium shows the focus from the first key on (:focus-visible), Firefox doesn't: neither may press the button.
  await user.keyboard('[Space][KeyK][Space]');
  expect(talk.press).toHaveBeenCalledTimes(2);
  expect(clicks).not.toHaveBeenCalled();
});

test('[KEYS12] what the page focuses by itself after a talk or a click is nobody’s move', async () => {
  const user = userEvent.setup();
  const { beside } = put('<button data-here>Messages</button><button data-next>Members</button>');
  const next = document.querySelector<HTMLElement>('[data-next]');
  await user.click(beside);
  await user.keyboard('[Space]');
  // A panel that closes by itself gives the focus back to its button.
  next?.focus();
  await user.keyboard('[Space]');
  expect(talk.press).toHaveBeenCalledTimes(2);
  next?.blur();
  await user.keyboard('[Escape]');
  next?.focus();
  await user.keyboard('[Space]');
  expect(talk.press, 'after a key that closes, the focus that comes back is shown').toHaveBeenCalledTimes(2);
});

test('[KEYS12] a window that comes back moves nobody', async () => {
  const user = userEvent.setup();
  const { here, clicks } = put('<button data-here>Messages</button>');
  await user.click(here);
  clicks.mockClear();
  await user.keyboard('[KeyK]');
  window.dispatchEvent(new Event('blur'));
  here.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  await user.keyboard('[Space]');
  expect(talk.press).toHaveBeenCalledTimes(1);
  expect(clicks).not.toHaveBeenCalled();
});

test.each([
  ['the page', '<p data-here tabindex="0">text</p>', 'Space'],
  ['a link, which Space doesn’t open', '<a href="#x" data-here>link</a>', 'Space'],
  ['the talk button', '<button data-talk-button data-here>talk</button>', 'Space'],
  ['a button, by another key', '<button data-here>Messages</button>', 'F8'],
  ['a button, by a key that moves', '<button data-here>Messages</button>', 'ArrowUp'],
])('[KEYS12] wherever the key does nothing else it talks, by keyboard too: on %s', async (_name, html, key) => {
  const user = userEvent.setup();
  code = key;
  put(html);
  await user.tab();
  await user.keyboard(`[${key}]`);
  expect(talk.press).toHaveBeenCalledTimes(1);
});

test.each([
  ['ArrowLeft', '<hr tabindex="0" data-here>'],
  ['ArrowUp', '<div role="slider" tabindex="0" data-here></div>'],
  ['Home', '<div role="tab" tabindex="0" data-here>members</div>'],
  ['End', '<div data-message-list><p data-here tabindex="0">message</p></div>'],
  ['ArrowDown', '<input type="radio" data-here>'],
])('[KEYS12] a talk key that moves something is that thing’s while one is there by keyboard: %s', async (key, html) => {
  const user = userEvent.setup();
  code = key;
  const { here } = put(html);
  await user.tab();
  await user.keyboard(`[${key}]`);
  expect(talk.press).not.toHaveBeenCalled();
  await user.pointer({ keys: '[MouseLeft]', target: here });
  here.focus();
  await user.keyboard(`[${key}]`);
  expect(talk.press).toHaveBeenCalledTimes(1);
});

test('[TALK111] on other pages the key is the control’s that has the focus, however one came there', async () => {
  const user = userEvent.setup();
  isOnItsPage = false;
  const { here, clicks } = put('<button data-here>filter</button>');
  await user.click(here);
  await user.keyboard('[Space]');
  expect(clicks).toHaveBeenCalledTimes(2);
  expect(talk.press).not.toHaveBeenCalled();
});
