import { vi } from 'vitest';

const CONDITION = /\((min|max)-(width|height): (\d+)px\)/gu;

/** Answers media queries about width and height for a window of this size, px; all others don't match. Ends with the test. */
export function sizeWindow(width: number, height = 900): void {
  const size = { width, height };
  const isMet = (conditions: string): boolean => {
    const all = [...conditions.matchAll(CONDITION)];
    return (
      all.length > 0 &&
      all.every(([, bound, side, px]) => {
        const actual = size[side as keyof typeof size];
        return bound === 'min' ? actual >= Number(px) : actual <= Number(px);
      })
    );
  };
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.assign(new EventTarget(), {
      matches: query.split(',').some(isMet),
      media: query,
      onchange: null,
      addListener() {},
      removeListener() {},
    }),
  );
}
