import { type RefObject, useEffect, useRef } from 'react';

/**
 * Keeps the focus inside of an element whose buttons change with `state`: when the one that had it goes, the element itself takes
 * it, so that the next key does nothing by surprise and Tab goes on from there. Focus from outside is left alone.
 */
export function useFocusKept(element: RefObject<HTMLElement | null>, state: string): void {
  const isInside = useRef(false);
  useEffect(() => {
    const enter = ({ target }: FocusEvent) => {
      isInside.current = element.current?.contains(target as Node) ?? false;
    };
    document.addEventListener('focusin', enter);
    return () => document.removeEventListener('focusin', enter);
  }, [element]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of state is what takes buttons away
  useEffect(() => {
    if (isInside.current && document.activeElement === document.body) element.current?.focus();
  }, [element, state]);
}
