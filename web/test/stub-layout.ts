import { vi } from 'vitest';

/** Gives every element a size, which virtual lists measure: jsdom has no layout. Ends with the test. */
export function stubLayout(): void {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200);
}
