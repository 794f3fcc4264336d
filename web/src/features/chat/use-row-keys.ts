import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useAnnounce } from '#src/shared/ui/announcer.tsx';
import type { MessageRow } from './message-rows.ts';

export interface RowKeys {
  /** The row that has or last had the focus; -1 before that. It stays rendered wherever the list is scrolled to. */
  current: number;
  /** Makes a row the current one without moving the focus. */
  setCurrent: (index: number) => void;
  /** Whether the focus is in a row. */
  isInside: boolean;
  onFocus: (event: FocusEvent) => void;
  onBlur: (event: FocusEvent) => void;
  /** @param from the row that is the list's Tab stop */
  onKeyDown: (event: KeyboardEvent, from: number) => void;
}

/** Keyboard navigation of the message list, which is one Tab stop [KEYS10]. */
export function useRowKeys(rows: readonly MessageRow[], scroller: RefObject<HTMLElement | null>): RowKeys {
  const { t } = useTranslation('chat');
  const say = useAnnounce();
  const [place, setPlace] = useState<{ key: string; index: number }>();
  const [isInside, setInside] = useState(false);
  const holdsFocus = useRef(false);
  const isMoving = useRef(false);
  const isTold = useRef(false);

  const current = indexOfRow(rows, place);
  const key = rows[current]?.key;
  // Rows come and go above the current row, and the current row itself may go.
  if (place !== undefined && (place.key !== key || place.index !== current)) {
    setPlace(key === undefined ? undefined : { key, index: current });
  }
  const setCurrent = (index: number) => {
    const row = rows[index];
    if (row !== undefined) setPlace({ key: row.key, index });
  };
  const setHeld = (isHeld: boolean) => {
    holdsFocus.current = isHeld;
    setInside(isHeld);
  };

  useLayoutEffect(() => {
    // The focused element went with its row, or with the row's action.
    const isLost = holdsFocus.current && document.activeElement === document.body;
    if (!isMoving.current && !isLost) return;
    isMoving.current = false;
    scroller.current?.querySelector<HTMLElement>('[data-message-stop]')?.focus();
  });

  return {
    current,
    setCurrent,
    isInside,
    onFocus: ({ target }) => {
      const row = target.closest<HTMLElement>('[data-index]');
      if (row === null) return;
      setCurrent(Number(row.dataset.index));
      setHeld(true);
      // A user who came by pointer doesn't need the keys explained.
      if (isTold.current || target !== row || !target.matches(':focus-visible')) return;
      isTold.current = true;
      say(t('keys'));
    },
    onBlur: ({ target, relatedTarget }) => {
      if (relatedTarget !== null) {
        if (!scroller.current?.contains(relatedTarget)) setHeld(false);
        return;
      }
      // No other element took the focus: the element was removed, the window was left, or the user clicked beside it.
      requestAnimationFrame(() => {
        if (target.isConnected && document.hasFocus() && document.activeElement === document.body) setHeld(false);
      });
    },
    onKeyDown: (event, from) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const { target, currentTarget } = event;
      if (!(target instanceof HTMLElement)) return;
      const row = target.closest<HTMLElement>('[data-index]');
      if (moveInRow(event.key, row, target)) {
        event.preventDefault();
        return;
      }
      const next = stopByKey(rows, event.key, from);
      if (next === undefined) return;
      event.preventDefault();
      // A search puts the focus on the list itself: from there the arrows lead to the row that was found.
      setCurrent(target === currentTarget && event.key.startsWith('Arrow') ? from : next);
      isMoving.current = true;
      // Also for the same row: the focus returns from one of its actions to the row.
      if (next === from) row?.focus();
    },
  };
}

function indexOfRow(rows: readonly MessageRow[], place: { key: string; index: number } | undefined): number {
  if (place === undefined) return -1;
  if (rows[place.index]?.key === place.key) return place.index;
  const index = rows.findIndex(({ key }) => key === place.key);
  return index === -1 ? stopNear(rows, Math.min(place.index, rows.length - 1)) : index;
}

/** Enter and the sideways arrows lead through a message's actions. Returns whether they did. */
function moveInRow(key: string, row: HTMLElement | null, target: HTMLElement): boolean {
  if (row === null) return false;
  const places = [row, ...row.querySelectorAll<HTMLElement>('a[href], button:not(:disabled)')];
  const at = places.indexOf(target);
  const isOpening = key === 'Enter' && target === row;
  const next = key === 'ArrowRight' || isOpening ? places[at + 1] : key === 'ArrowLeft' ? places[at - 1] : undefined;
  next?.focus();
  return next !== undefined;
}

/** Whether the arrow keys stop at a row: at messages, not at the lines between them. */
const isStop = (row: MessageRow | undefined): boolean => row?.kind === 'message' || row?.kind === 'pending';

/** The stop nearest to an index: there or after it, else before; -1 if there is none. */
function stopNear(rows: readonly MessageRow[], index: number): number {
  const after = rows.findIndex((row, at) => at >= index && isStop(row));
  return after === -1 ? rows.findLastIndex(isStop) : after;
}

/** The last stop of those from `from` to `to`, else the one nearest to `to`. */
export function stopAmong(rows: readonly MessageRow[], from: number, to: number): number {
  const last = rows.findLastIndex((row, at) => at >= from && at <= to && isStop(row));
  return last === -1 ? stopNear(rows, to) : last;
}

/** The row to which a key leads from a stop; undefined for keys without a meaning here. The keys stop at either end. */
function stopByKey(rows: readonly MessageRow[], key: string, from: number): number | undefined {
  const found = (index: number) => (index === -1 ? from : index);
  switch (key) {
    case 'ArrowUp':
      return found(rows.findLastIndex((row, at) => at < from && isStop(row)));
    case 'ArrowDown':
      return found(rows.findIndex((row, at) => at > from && isStop(row)));
    case 'Home':
      return found(rows.findIndex(isStop));
    case 'End':
      return found(rows.findLastIndex(isStop));
    default:
      return undefined;
  }
}

/**
 * The row whose sender's name covers a row: itself, or the head of its group; undefined if the window doesn't hold the
 * head.
 */
export function headOf(rows: readonly MessageRow[], index: number): MessageRow | undefined {
  // Makes no copy: it is called for each drawn row, on all held rows.
  for (let at = index; at >= 0; at -= 1) {
    const row = rows[at];
    if (row !== undefined && 'isHead' in row && row.isHead) return row;
  }
  return undefined;
}
