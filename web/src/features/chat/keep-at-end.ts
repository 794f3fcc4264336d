/** The end counts as shown when it is this near, in pixels. */
export const END_PX = 48;

export interface EndKeeper {
  /**
   * Sets whether the list follows its end from now on: a list that opens at its end, or is sent there, hasn't scrolled
   * yet.
   */
  setFollowing(isFollowing: boolean): void;
  /** Whether the list is at its end, or on its way there. */
  isFollowing(): boolean;
  close(): void;
}

/**
 * Keeps a scroller at its end from when it gets there until the user scrolls up. Meanwhile its height or its content's
 * may change: by a phone's keyboard, a notice above, or rows that are higher than estimated [CHATS7].
 */
export function keepAtEnd(scroller: HTMLElement, content: Element, toEnd: () => void): EndKeeper {
  let isFollowing = false;
  let top = scroller.scrollTop;
  const onScroll = () => {
    const isUpwards = scroller.scrollTop < top;
    top = scroller.scrollTop;
    if (scroller.scrollHeight - top - scroller.clientHeight <= END_PX) isFollowing = true;
    // A list that scrolls down may be on its way to an end that has moved meanwhile.
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
