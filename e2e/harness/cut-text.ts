import type { Page } from '@playwright/test';

/**
 * Texts of a page, as it is now, that don't fit in their place. Some are cut off without a sign of it (an ellipsis, and a `title` with the
 * whole text). Others reach out of their box, button or cell. Each is told with its element, in few words. The page itself is told of if it
 * is wider than its window.
 * @param frames how many frames the page has first, to take up a new size
 */
export async function textsOutOfPlace(page: Page, frames = 0): Promise<string[]> {
  return page.evaluate(async (framesBefore) => {
    for (let frame = 0; frame < framesBefore; frame += 1) await new Promise(requestAnimationFrame);
    /** Differences that rounding makes, px. */
    const SLACK = 1.5;
    const faults = new Set<string>();
    const spill = document.documentElement.scrollWidth - window.innerWidth;
    if (spill > 0) faults.add(`${spill} px too wide`);
    const nameOf = (element: Element) =>
      `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">`.slice(0, 90);

    /** Remembers what is found out of an element. The page stays as it is meanwhile, and most texts share the elements around them. */
    const remembered = <Found>(findOut: (element: Element) => Found) => {
      const known = new Map<Element, Found>();
      return (element: Element): Found => {
        const found = known.get(element) ?? findOut(element);
        known.set(element, found);
        return found;
      };
    };
    const cssOf = remembered((element) => {
      const { display, position, overflowX, overflowY, textOverflow, webkitLineClamp, clipPath } =
        getComputedStyle(element);
      return { display, position, overflowX, overflowY, textOverflow, webkitLineClamp, clipPath };
    });
    const rectOf = remembered((element) => element.getBoundingClientRect());
    /** True for text that is for readers alone: a pixel, or less, is shown of it. */
    const isUnseen = (element: Element) => {
      const { width, height } = rectOf(element);
      const { overflowX, clipPath } = cssOf(element);
      return (overflowX !== 'visible' && (width <= 1 || height <= 1)) || clipPath !== 'none';
    };
    /** True if something is seen of the box itself, or if it stands over what scrolls below it. */
    const isBox = remembered((element) => {
      const css = getComputedStyle(element);
      return (
        ['TD', 'TH', 'BUTTON'].includes(element.tagName) ||
        (css.position === 'sticky' && element.clientHeight > 0) ||
        (css.borderRightStyle !== 'none' && Number.parseFloat(css.borderRightWidth) > 0) ||
        !/^rgba\(.*, 0\)$|^transparent$/u.test(css.backgroundColor)
      );
    });
    const hasTitle = (element: Element) =>
      element.closest('[title]') !== null || element.querySelector('[title]') !== null;

    interface Span {
      left: number;
      right: number;
      top: number;
      bottom: number;
    }
    const areaOf = ({ left, right, top, bottom }: DOMRect): Span => ({ left, right, top, bottom });

    /** Returns the fault of a text in one of the boxes around it, or null. */
    function faultIn(
      place: Element,
      css: ReturnType<typeof cssOf>,
      box: Span,
      area: Span,
      isPlaced: boolean,
    ): string | null | 'ellipsis' {
      const isBeside = area.right > box.right + SLACK || area.left < box.left - SLACK;
      const isBelow = area.bottom > box.bottom + SLACK || area.top < box.top - SLACK;
      if ((isBeside && css.textOverflow === 'ellipsis') || (isBelow && css.webkitLineClamp !== 'none'))
        return hasTitle(place) ? 'ellipsis' : `has an ellipsis and no title in ${nameOf(place)}`;
      if ((isBeside && css.overflowX !== 'visible') || (isBelow && css.overflowY !== 'visible'))
        return `is cut by ${nameOf(place)}`;
      return (isBeside || isBelow) && !isPlaced && isBox(place) ? `stands out of ${nameOf(place)}` : null;
    }

    function judge(text: string, element: Element, rect: DOMRect): void {
      const area = areaOf(rect);
      let isFree = false;
      for (
        let place: Element | null = element;
        place !== null && place !== document.body;
        place = place.parentElement
      ) {
        const css = cssOf(place);
        if (css.display === 'contents' || css.display === 'inline') continue;
        // A positioned element leaves the boxes that aren't positioned, and stands as intended in the one that is.
        if (isFree && css.position === 'static') continue;
        const isPlaced = isFree;
        isFree = css.position === 'absolute';
        const box = areaOf(rectOf(place));
        // If the scrolling box can be seen, one can scroll to the text.
        if (/auto|scroll/u.test(css.overflowX))
          [area.left, area.right] = [Math.max(area.left, box.left), Math.min(area.right, box.right)];
        if (/auto|scroll/u.test(css.overflowY))
          [area.top, area.bottom] = [Math.max(area.top, box.top), Math.min(area.bottom, box.bottom)];
        if (area.left >= area.right || area.top >= area.bottom) return;
        const fault = faultIn(place, css, box, area, isPlaced);
        if (fault === 'ellipsis') return;
        if (fault !== null) {
          faults.add(`«${text.trim().slice(0, 60)}» of ${nameOf(element)} ${fault}`);
          return;
        }
        if (css.position === 'fixed') break;
      }
      if (area.right > window.innerWidth + SLACK || area.left < -SLACK)
        faults.add(`«${text.trim().slice(0, 60)}» of ${nameOf(element)} is beside the screen`);
    }

    const isInSight: (element: Element) => boolean = remembered(
      (element) => !isUnseen(element) && (element.parentElement === null || isInSight(element.parentElement)),
    );
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true }) && isInSight(element);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const element = node.parentElement;
      if (element === null || !/\p{L}/u.test(node.textContent ?? '') || !isShown(element)) continue;
      range.selectNodeContents(node);
      const rect = range.getBoundingClientRect();
      if (rect.width > 0) judge(node.textContent ?? '', element, rect);
    }

    // A field's text is no text node.
    const context = document.createElement('canvas').getContext('2d');
    for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input[placeholder], select')) {
      const text = field instanceof HTMLSelectElement ? (field.selectedOptions[0]?.text ?? '') : field.placeholder;
      if (context === null || text === '' || !isShown(field)) continue;
      const css = getComputedStyle(field);
      // The shorthand is empty if the element sets features of its font.
      context.font = `${css.fontWeight} ${css.fontSize} ${css.fontFamily}`;
      const room = field.clientWidth - Number.parseFloat(css.paddingLeft) - Number.parseFloat(css.paddingRight);
      if (context.measureText(text).width > room + SLACK && css.textOverflow !== 'ellipsis')
        faults.add(`«${text}» is cut in ${nameOf(field)}`);
    }
    return [...faults];
  }, frames);
}
