import { type RefObject, useEffect, useRef } from 'react';

/**
 * Keeps the focus inside of an element whose buttons change with `state`: when the one that had it goes, the element itself takes
 * it, so that the next key does nothing by surprise and Tab goes on from there. When the element goes, the focus is again where it
 * came from. Focus from outside is left alone.
 */
export function useFocusKept(element: RefObject<HTMLElement | null>, state: string): void {
  const isInside = useRef(false);
  /** Where the focus came from. */
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
  // The panel may go as a whole.
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
