import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { END_PX, type EndKeeper, keepAtEnd } from './keep-at-end.ts';
import type { MessageFeed } from './message-feed.ts';
import { RowProvider, rowPartId } from './message-parts.tsx';
import { MessageLine, type RowActs } from './message-row.tsx';
import type { MessageRow } from './message-rows.ts';
import styles from './messages.module.css';
import type { NumberRange } from './read-tracker.ts';
import { estimatedHeight, rangeOnScreen, type Sight, sightOf } from './row-heights.ts';
import { headOf, stopAmong, useRowKeys } from './use-row-keys.ts';

/** Older or newer messages are read when this few rows are left on that side. */
const AHEAD_ROWS = 10;
/** Number of rows rendered beyond each edge of the visible part. */
const OVERSCAN_ROWS = 6;

export interface MessageListProps {
  rows: readonly MessageRow[];
  feed: MessageFeed;
  /** The row to scroll to: the row of that number, or the next one after it. */
  target: { number: number; count: number } | undefined;
  acts: RowActs;
  onScreen: (range: NumberRange | undefined) => void;
  onEnd: (isAtEnd: boolean) => void;
  onSight: (sight: Sight) => void;
}

type List = Virtualizer<HTMLElement, Element>;

/** A virtual list anchored at its end: renders only the visible rows of all held messages. */
export function MessageList({ rows, feed, target, acts, onScreen, onEnd, onSight }: MessageListProps) {
  const { t } = useTranslation('chat');
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLOListElement>(null);
  const keeper = useRef<EndKeeper>(undefined);
  const id = useId();
  const keys = useRowKeys(rows, scroller);
  const report = (list: List) => {
    const { startIndex, endIndex } = list.range ?? { startIndex: 0, endIndex: 0 };
    // Leaves out the current row where it is rendered out of sight.
    const items = list
      .getVirtualItems()
      .filter(({ index }) => index >= startIndex - OVERSCAN_ROWS && index <= endIndex + OVERSCAN_ROWS);
    if ((items[0]?.index ?? 0) < AHEAD_ROWS) feed.loadOlder();
    if ((items.at(-1)?.index ?? 0) >= rows.length - AHEAD_ROWS) feed.loadNewer();
    const isAtEnd = list.isAtEnd(END_PX);
    feed.setAtEnd(isAtEnd);
    const [top, height] = [list.scrollOffset ?? 0, list.scrollRect?.height ?? 0];
    // A list that was sent to its end, as each is at first, learns its position a frame later.
    const isOnItsWay = keeper.current?.isFollowing() !== false && !isAtEnd;
    onEnd(isAtEnd || isOnItsWay);
    if (!isOnItsWay) onSight(sightOf(rows, items, top, height));
    onScreen(rangeOnScreen(rows, items, top, height));
  };
  const list = useVirtualizer<HTMLElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimatedHeight(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN_ROWS,
    // The row that has the focus, or had it before a dialog, stays in the page.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      if (keys.current === -1 || shown.includes(keys.current)) return shown;
      return [...shown, keys.current].sort((one, other) => one - other);
    },
    // Rows that come above don't move what the user reads; rows that come below are followed by a list at its end.
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    onChange: report,
  });

  const toEnd = () => {
    keeper.current?.setFollowing(true);
    list.scrollToEnd();
  };
  const toRow = (index: number, align: 'start' | 'center') => {
    keeper.current?.setFollowing(false);
    list.scrollToIndex(index, { align });
  };
  // The virtual list follows appended rows, but not its own height, and loses the end when rows are measured late.
  useLayoutEffect(() => {
    if (scroller.current === null || content.current === null) return undefined;
    const opened = keepAtEnd(scroller.current, content.current, () => list.scrollToEnd());
    keeper.current = opened;
    return opened.close;
  }, [list]);
  // Before the browser paints.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is there
  useLayoutEffect(toEnd, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it is asked for, not when rows change
  useLayoutEffect(() => {
    if (target === undefined) return;
    const index = rows.findIndex((row) => row.kind === 'message' && row.message.number >= target.number);
    const isLast = rows.slice(index + 1).every(({ kind }) => kind === 'pending');
    if (index === -1 || isLast) toEnd();
    else {
      // A user who goes back to the new messages reads down from their line.
      if (rows[index - 1]?.kind === 'new') toRow(index - 1, 'start');
      else toRow(index, 'center');
      keys.setCurrent(index);
    }
  }, [target]);
  // The visible rows may change without a scroll.
  useEffect(() => report(list));

  // Called first: it works out the range of the current rows.
  const items = list.getVirtualItems();
  const { startIndex, endIndex } = list.range ?? { startIndex: 0, endIndex: rows.length - 1 };
  const isCurrentShown = keys.isInside || (keys.current >= startIndex && keys.current <= endIndex);
  const stop = isCurrentShown && keys.current !== -1 ? keys.current : stopAmong(rows, startIndex, endIndex);

  return (
    <section
      ref={scroller}
      className={styles.scroller}
      aria-label={t('list')}
      // A search or a dialog moves the focus here. The Tab key leads to the current message.
      tabIndex={-1}
      data-message-list=""
      onFocus={(event) => {
        keys.onFocus(event);
        // A pointer is already at its target.
        if (!event.target.matches(':focus-visible')) return;
        const row = event.target.closest<HTMLElement>('[data-index]');
        // Replaces a scroll that has not ended, as when the list was just opened.
        if (row !== null) list.scrollToIndex(Number(row.dataset.index), { align: 'auto' });
        keepInSight(event.target);
      }}
      onBlur={keys.onBlur}
      onKeyDown={(event) => keys.onKeyDown(event, stop)}
    >
      <ol ref={content} className={styles.list} style={{ height: list.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isTarget = row.kind === 'message' && row.message.number === target?.number;
          const rowId = `${id}${row.key}`;
          const head = headOf(rows, index);
          const isMessage = row.kind === 'message' || row.kind === 'pending';
          const names = [rowPartId(`${id}${head?.key}`, 'head'), rowPartId(rowId, 'words'), rowPartId(rowId, 'state')];
          return (
            <li
              key={key}
              ref={list.measureElement}
              data-index={index}
              className={styles.row}
              style={{ transform: `translateY(${start}px)` }}
              data-target={isTarget ? target.count : undefined}
              tabIndex={isMessage ? (index === stop ? 0 : -1) : undefined}
              data-message-stop={index === stop || undefined}
              aria-labelledby={isMessage ? names.join(' ') : undefined}
            >
              <RowProvider id={rowId} isCurrent={index === stop}>
                <MessageLine row={row} acts={acts} />
              </RowProvider>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Focus brings rows above into view; when they are measured, they move the focused element out of sight again. */
function keepInSight(focused: Element): void {
  if (focused.hasAttribute('data-message-list')) return;
  let frames = 3;
  const follow = () => {
    if (document.activeElement !== focused) return;
    focused.scrollIntoView({ block: 'nearest' });
    frames -= 1;
    if (frames > 0) requestAnimationFrame(follow);
  };
  requestAnimationFrame(follow);
}
