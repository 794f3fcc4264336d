/** The end counts as shown when it is this near, in pixels. */
export const END_PX = 48;

export interface EndKeeper {
  /** Whether the end is wanted from here on: a list that is opened at it, or sent there, hasn't scrolled yet. */
  setFollowing(isFollowing: boolean): void;
  /** Whether it is at the end, or on its way there. */
  isFollowing(): boolean;
  close(): void;
}

/**
 * Keeps a scroller at its end from when it got there until somebody scrolls up, whatever changes its height or that of its
 * content meanwhile: a phone's keyboard, a notice above, rows that turn out higher than they were estimated [CHATS7].
 */
export function keepAtEnd(scroller: HTMLElement, content: Element, toEnd: () => void): EndKeeper {
  let isFollowing = false;
  let top = scroller.scrollTop;
  const onScroll = () => {
    const isUpwards = scroller.scrollTop < top;
    top = scroller.scrollTop;
    if (scroller.scrollHeight - top - scroller.clientHeight <= END_PX) isFollowing = true;
    // Downwards it may be on its way to the end, which was moved meanwhile.
    else if (isUpwards) isFollowing = false;
  };
  const observer = new ResizeObserver(() => {
    if (isFollowing) toEnd();
  });
  observer.observe(scroller);
  observer.observe(content);
  scroller.addEventListener('scroll', onScroll, { passive: true });
  return {
    setFollowing(next) {
      isFollowing = next;
    },
    isFollowing: () => isFollowing,
    close() {
      observer.disconnect();
      scroller.removeEventListener('scroll', onScroll);
    },
  };
}
