import { type RefObject, useEffect, useRef } from 'react';
import { noticePermission, showSystemNotice } from '#src/shared/system-notice.ts';

/**
 * Keeps the focus inside an element whose buttons change with `state`. When the focused button goes, the element itself
 * takes the focus: the next key does nothing unexpected, and Tab goes on from there. When the element goes, the focus
 * returns to where it came from. The hook leaves focus outside the element alone.
 */
export function useFocusKept(element: RefObject<HTMLElement | null>, state: string): void {
  const isInside = useRef(false);
  /** The element that had the focus before. */
  const before = useRef<EventTarget>(null);
  useEffect(() => {
    const enter = ({ target, relatedTarget }: FocusEvent) => {
      const isNow = element.current?.contains(target as Node) ?? false;
      if (isNow && !isInside.current) before.current = relatedTarget;
      isInside.current = isNow;
    };
    document.addEventListener('focusin', enter);
    return () => document.removeEventListener('focusin', enter);
  }, [element]);
  // The whole panel may go.
  useEffect(
    () => () => {
      if (isInside.current && document.activeElement === document.body) goBack(before.current);
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of state is what takes buttons away
  useEffect(() => {
    if (!isInside.current || document.activeElement !== document.body) return;
    if (element.current !== null) element.current.focus();
    else goBack(before.current);
  }, [element, state]);
}

function goBack(origin: EventTarget | null): void {
  const isThere = origin instanceof HTMLElement && origin.isConnected;
  (isThere ? origin : document.getElementById('content'))?.focus({ preventScroll: true });
}

/**
 * Shows a system notification while the page is hidden, if the user allowed it; also when the page becomes hidden while
 * a call rings. Null shows nothing and closes the notification.
 */
export function useRingNotice(text: string | null): void {
  useEffect(() => {
    if (text === null || noticePermission() !== 'granted') return;
    let close: (() => void) | undefined;
    const follow = () => {
      // Once is enough: a notification that its reader closed doesn't come back.
      if (document.hidden && close === undefined) {
        close = showSystemNotice({ title: text, tag: 'pressel-call', stays: true });
      }
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close?.();
    };
  }, [text]);
}

/**
 * Makes the console begin below the panel, so that the panel covers no name (RING20). `--call-height` is the part of
 * the screen that the panel takes.
 */
export function useRoomForPanel(panel: RefObject<HTMLDivElement | null>, isShown: boolean): void {
  useEffect(() => {
    const element = panel.current;
    if (!isShown || element === null) return;
    const { style } = document.documentElement;
    const follow = () => style.setProperty('--call-height', `${element.offsetTop + element.offsetHeight}px`);
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty('--call-height');
    };
  }, [panel, isShown]);
}
