/** A swipe is at least this long, px, and at least this many times longer than it strays. */
const LENGTH_PX = 64;
const STRAIGHTNESS = 2;
/** A longer movement is a hesitation, ms. */
const TIME_MS = 700;

interface Touchpoint {
  x: number;
  y: number;
  at: number;
}

/** Returns the direction of a swipe between two points: -1 to the start of the tabs, 1 to the end, 0 for no swipe. */
export function swipeOf(from: Touchpoint, to: Touchpoint): -1 | 0 | 1 {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const isSwipe =
    Math.abs(dx) >= LENGTH_PX && Math.abs(dx) >= STRAIGHTNESS * Math.abs(dy) && to.at - from.at <= TIME_MS;
  if (!isSwipe) return 0;
  return dx < 0 ? 1 : -1;
}

/** Elements in which a finger moves something else: the map, a slider, a text, a sideways scroller. */
const ELSEWHERE = 'canvas, input, textarea, [role="slider"], [data-own-swipe]';

const isTouch = (event: Event): event is TouchEvent => 'changedTouches' in event;

/** Reports swipes over an element. @returns the function that ends it */
export function bindSwipe(element: HTMLElement, onSwipe: (step: -1 | 1) => void): () => void {
  let start: Touchpoint | undefined;
  let touched: EventTarget | null = null;
  const pointOf = (touch: Touch | undefined, at: number): Touchpoint | undefined =>
    touch && { x: touch.clientX, y: touch.clientY, at };
  const begin = (event: TouchEvent) => {
    const isElsewhere = event.target instanceof Element && event.target.closest(ELSEWHERE) !== null;
    // A second finger is no swipe: one may hold the talk button.
    start =
      isElsewhere || event.targetTouches.length > 1 ? undefined : pointOf(event.targetTouches[0], event.timeStamp);
    // The browser sends a touch's end to the element on which it began. If that element was removed, the event doesn't
    // bubble.
    forget();
    touched = event.target;
    touched?.addEventListener('touchend', end, { passive: true });
  };
  const end = (event: Event) => {
    const to = isTouch(event) ? pointOf(event.changedTouches[0], event.timeStamp) : undefined;
    const step = start && to ? swipeOf(start, to) : 0;
    start = undefined;
    if (step !== 0) onSwipe(step);
  };
  const forget = () => touched?.removeEventListener('touchend', end);
  element.addEventListener('touchstart', begin, { passive: true });
  return () => {
    element.removeEventListener('touchstart', begin);
    forget();
  };
}
