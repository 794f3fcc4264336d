import { type RefObject, useEffect, useRef } from 'react';

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
