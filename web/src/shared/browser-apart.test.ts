import { afterEach, expect, test } from 'vitest';
import { createPageAttention, ownVersion } from './browser-apart.ts';

afterEach(() => {
  document.head.querySelectorAll('meta').forEach((tag) => {
    tag.remove();
  });
  document.body.replaceChildren();
});

/** Opens a page whose clock is the test's, long after the last input. */
function openPage(html = '') {
  document.body.innerHTML = html;
  let now = 1_000_000;
  const attention = createPageAttention(window, () => now);
  attention();
  return {
    attention,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('[APP13] a page knows what it was built as and with, unless it is the dev server’s', () => {
  expect(ownVersion()).toBeUndefined();
  document.head.innerHTML = '<meta name="contract" content="c1"><meta name="build" content="b1">';
  expect(ownVersion()).toEqual({ contract: 'c1', build: 'b1' });
});

test('[APP15] nobody is at work on a page that is only looked at', () => {
  expect(openPage('<main><a href="/">x</a><input type="search" value="Nord"></main>').attention()).toBe('none');
});

test.each([
  ['a dialog', '<div role="dialog"></div>'],
  ['an open menu', '<div role="menu"></div>'],
  ['selected rows, or a form at the door', '<section data-unsaved=""></section>'],
  ['an export', '<button data-loading="true"></button>'],
])('[APP15] %s is work that a reload would lose', (_, html) => {
  expect(openPage(html).attention()).toBe('working');
});

test('[APP15] so is a text in the field that has the focus, but for one that is kept', () => {
  const page = openPage('<input value=""><textarea data-kept="">Le camion</textarea>');
  const [field, kept] = [document.querySelector('input'), document.querySelector('textarea')];
  field?.focus();
  expect(page.attention()).toBe('none');
  if (field) field.value = 'Nord';
  expect(page.attention()).toBe('working');
  kept?.focus();
  expect(page.attention()).toBe('none');
});

test('[APP15] so is what the page would ask about before it is left', () => {
  const page = openPage();
  const ask = (event: Event) => event.preventDefault();
  window.addEventListener('beforeunload', ask);
  expect(page.attention()).toBe('working');
  window.removeEventListener('beforeunload', ask);
  expect(page.attention()).toBe('none');
});

test.each(['keydown', 'pointerdown', 'wheel'])('[APP15] whoever has just done something is at work (%s)', (type) => {
  const page = openPage('<button>x</button>');
  document.querySelector('button')?.dispatchEvent(new Event(type, { bubbles: true }));
  expect(page.attention()).toBe('working');
  page.pass(2_000);
  expect(page.attention()).toBe('none');
});
