import { z } from '@pressel/contract/zod';
import type { AppStorage } from '#src/shared/storage.ts';
import { isComposing } from '#src/shared/ui/is-composing.ts';

/** The panels that a key opens over the page. */
export type KeyPanel = 'palette' | 'shortcuts';

/** The keys, as they are printed; the names of `Ctrl` and `Esc` are the language's. */
export const SHORTCUTS = [
  { keys: ['Ctrl', 'K'], does: 'palette' },
  { keys: ['/'], does: 'filter' },
  { keys: ['C'], does: 'create' },
  { keys: ['↑', '↓'], does: 'rows' },
  { keys: ['↵'], does: 'open' },
  { keys: ['Esc'], does: 'leave' },
  { keys: ['?'], does: 'sheet' },
] as const;

/** Single letters act unless they were turned off on this device (WCAG 2.1.4). */
export const areLettersOn = (storage: Pick<AppStorage, 'readPreference'>): boolean =>
  storage.readPreference('letterKeys', z.boolean()) ?? true;

const TYPED_INTO =
  'input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select, [contenteditable]';
const OVER_THE_PAGE = '[role=dialog], [role=menu], [role=alertdialog]';

export interface ShortcutDeps {
  page: Document;
  areLettersOn: () => boolean;
  /** The talk key (KeyboardEvent.code) and whether a talk is held; undefined: in no room. */
  talkKey: () => { code: string; isHeld: boolean } | undefined;
  onPanel: (panel: KeyPanel) => void;
}

export interface Shortcuts {
  /** Returns, once, the text typed between the palette's key and its field. */
  takeTyped(): string;
  close(): void;
}

/** Follows the keys of the console (LIST10). */
export function followShortcuts({ page, areLettersOn: isOn, talkKey, onPanel }: ShortcutDeps): Shortcuts {
  /** Null unless the palette is on its way. */
  let typed: string | null = null;
  /** @returns whether the key did something */
  const act = (key: string): boolean => {
    switch (key) {
      case '/':
        return pressed(page.querySelector<HTMLElement>('main input[type=search]'), (filter) => filter.focus());
      case 'c':
        return pressed(page.querySelector<HTMLElement>('main [data-shortcut=create]'), (button) => button.click());
      case '?':
        onPanel('shortcuts');
        return true;
      default:
        return false;
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event) || event.repeat || event.altKey) return;
    const isPlain = !event.ctrlKey && !event.metaKey && [...event.key].length === 1;
    if (typed !== null && isPlain) {
      // The letter must not reach the focused element, which may be the palette around its field, nor act as a key of
      // the page.
      typed += event.key;
      event.preventDefault();
      return;
    }
    if (page.querySelector(OVER_THE_PAGE) !== null) return;
    const talk = talkKey();
    // A panel that opens would end the talk.
    if (talk?.isHeld === true) return;
    const isPalette = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
    if (isPalette) {
      typed = '';
      onPanel('palette');
      event.preventDefault();
      return;
    }
    const isTyping = event.target instanceof Element && event.target.closest(TYPED_INTO) !== null;
    if (isTyping || event.ctrlKey || event.metaKey || !isOn()) return;
    // On a button or link the talk key neither talks [TALK111] nor acts as a letter of the page.
    if (event.code === talk?.code) return;
    if (act(event.key.toLowerCase())) event.preventDefault();
  };
  page.addEventListener('keydown', onKey);
  return {
    takeTyped() {
      const taken = typed ?? '';
      typed = null;
      return taken;
    },
    close: () => page.removeEventListener('keydown', onKey),
  };
}

function pressed(element: HTMLElement | null, press: (element: HTMLElement) => void): boolean {
  if (element !== null) press(element);
  return element !== null;
}
