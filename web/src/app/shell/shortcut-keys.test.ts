import { fireEvent } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { followShortcuts, type ShortcutDeps } from './shortcuts.ts';

let close: () => void = () => undefined;
afterEach(() => {
  close();
  document.body.replaceChildren();
});

function follow(talkKey: ShortcutDeps['talkKey']) {
  document.body.innerHTML =
    '<main><button type="button" data-shortcut="create">Créer</button><a href="#x">Lien</a></main>';
  const create = vi.fn();
  const onPanel = vi.fn();
  document.querySelector('button')?.addEventListener('click', create);
  const followed = followShortcuts({ page: document, areLettersOn: () => true, talkKey, onPanel });
  ({ close } = followed);
  return { create, onPanel, takeTyped: followed.takeTyped, link: document.querySelector('a') as HTMLElement };
}

test('[LIST10] nothing acts while a talk is held', () => {
  let isHeld = true;
  const { create, onPanel, link } = follow(() => ({ code: 'Space', isHeld }));
  fireEvent.keyDown(link, { code: 'KeyC', key: 'c' });
  fireEvent.keyDown(link, { code: 'KeyK', key: 'k', ctrlKey: true });
  expect(create).not.toHaveBeenCalled();
  expect(onPanel).not.toHaveBeenCalled();
  isHeld = false;
  fireEvent.keyDown(link, { code: 'KeyC', key: 'c' });
  expect(create).toHaveBeenCalledOnce();
});

test('[LIST10] the talk key is no letter of the page, also where it does not talk; in no room it is', () => {
  let code: string | undefined = 'KeyC';
  const { create, link } = follow(() => (code === undefined ? undefined : { code, isHeld: false }));
  fireEvent.keyDown(link, { code: 'KeyC', key: 'c' });
  expect(create).not.toHaveBeenCalled();
  code = undefined;
  fireEvent.keyDown(link, { code: 'KeyC', key: 'c' });
  expect(create).toHaveBeenCalledOnce();
});

test('[LIST10] until the palette’s field has the focus no letter is lost, though the palette is there already', () => {
  const { create, takeTyped, link } = follow(() => undefined);
  fireEvent.keyDown(link, { code: 'KeyK', key: 'k', ctrlKey: true });
  fireEvent.keyDown(link, { code: 'KeyC', key: 'c' });
  document.body.append(Object.assign(document.createElement('div'), { role: 'dialog' }));
  fireEvent.keyDown(link, { code: 'KeyA', key: 'a' });
  expect(takeTyped()).toBe('ca');
  expect(create).not.toHaveBeenCalled();
  fireEvent.keyDown(link, { code: 'KeyB', key: 'b' });
  expect(takeTyped(), 'the field takes what comes then').toBe('');
});
