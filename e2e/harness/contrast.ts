import type { Locator } from '@playwright/test';

/**
 * How far the faintest part of a control stands out: the contrast ratio (WCAG 2.2) of its border, or else its
 * background, to the ground beneath. Infinity for a control that draws nothing.
 */
export async function leastContrast(control: Locator): Promise<number> {
  return await control.evaluate((root) => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    if (canvas === null) throw new Error('No canvas');
    const rgba = (colour: string): number[] => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const isPainted = (colour: string) => rgba(colour)[3] === 255;
    const luminance = (colour: string): number => {
      const [r = 0, g = 0, b = 0] = rgba(colour)
        .slice(0, 3)
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (one: string, other: string): number => {
      const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    /** The colour that is seen under an element, or with `self` under its contents. */
    const groundOf = (element: Element, self = false): string => {
      for (let at = self ? element : element.parentElement; at !== null; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (isPainted(backgroundColor)) return backgroundColor;
      }
      return 'white';
    };
    const ratios = [root, ...root.querySelectorAll('*')].flatMap((element) => {
      const css = getComputedStyle(element);
      const before = getComputedStyle(element, '::before');
      const edge = Number.parseFloat(css.borderTopWidth) > 0 ? css.borderTopColor : css.backgroundColor;
      return [
        ...(isPainted(edge) ? [ratio(edge, groundOf(element))] : []),
        ...(before.content !== 'none' && isPainted(before.backgroundColor)
          ? [ratio(before.backgroundColor, groundOf(element, true))]
          : []),
      ];
    });
    return Math.min(...ratios);
  });
}
