/**
 * Keeps the part of the page that has pointer or focus in its place on the screen. When content above it grows or
 * shrinks, the page scrolls by as much, as far as it can (DASH5). For the `ref` of the element around the parts.
 */
export function keepInPlace(parts: HTMLElement | null): (() => void) | undefined {
  const page = parts?.parentElement;
  const scroller = scrollerOf(parts);
  if (parts === null || page == null || scroller === null) return undefined;
  let kept: Element | null = null;
  let place = 0;
  /** The part's offset within the scrolled content, px. */
  const placeOf = (part: Element) => part.getBoundingClientRect().top + scroller.scrollTop;
  /** Returns whether the part had moved. */
  const settle = (): boolean => {
    if (kept?.isConnected !== true) return false;
    const before = place;
    place = placeOf(kept);
    scroller.scrollTop += place - before;
    return place !== before;
  };
  const keep = (target: EventTarget | null) => {
    // A layout shift under a resting pointer causes this event before the size observer runs.
    if (settle()) return;
    kept = target instanceof Element && parts.contains(target) ? target.closest('section') : null;
    if (kept !== null) place = placeOf(kept);
  };
  const onTarget = ({ target }: Event) => keep(target);
  const onLeave = () => keep(document.activeElement);
  parts.addEventListener('pointerover', onTarget);
  parts.addEventListener('focusin', onTarget);
  parts.addEventListener('pointerleave', onLeave);
  const sizes = new ResizeObserver(settle);
  for (const part of [...page.children, ...parts.children]) sizes.observe(part);
  return () => {
    sizes.disconnect();
    parts.removeEventListener('pointerover', onTarget);
    parts.removeEventListener('focusin', onTarget);
    parts.removeEventListener('pointerleave', onLeave);
  };
}

function scrollerOf(element: Element | null): Element | null {
  let around = element;
  while (around !== null && !/auto|scroll/u.test(getComputedStyle(around).overflowY)) around = around.parentElement;
  return around;
}
