import { Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { UserId } from '@pressel/contract/ids';
import {
  IconAntenna,
  IconCircle,
  IconCircleDashed,
  IconCircleFilled,
  IconCircleHalf2,
  IconPlugConnectedX,
  IconVolume,
  type TablerIcon,
} from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { useRowHeight } from '#src/shared/ui/use-is-narrow.ts';
import styles from './members.module.css';
import type { MemberPresence, MemberRow } from './members.rules.ts';

export const PRESENCE_ICONS: Record<MemberPresence, TablerIcon> = {
  selfTalking: IconAntenna,
  talking: IconVolume,
  here: IconCircleFilled,
  cutOff: IconPlugConnectedX,
  online: IconCircleHalf2,
  away: IconCircle,
  unknown: IconCircleDashed,
};

/** The height of a row of the sidebar where a pointer is fine, px. */
const DENSE_ROW_PX = 28;

export interface MemberListProps {
  /** The members that were read, in their order; undefined while none are. */
  rows: readonly MemberRow[] | undefined;
  /** The guests, who come after all members. */
  guests: readonly MemberRow[];
  /** The number of members in the list; members that were not read have their places. */
  total: number;
  /** The filter, the order and how much was read, of these rows. Rows of another query take the places at once. */
  asked: string;
  isFiltered: boolean;
  isDense?: boolean;
  /** Reads more, at least up to this row. */
  onMore: (row: number) => void;
  renderRow: (row: MemberRow) => ReactNode;
}

/** A channel's members. Only those in view are rendered, because there may be thousands. */
export function MemberList(props: MemberListProps) {
  const { t } = useTranslation('members');
  if (props.rows === undefined) return <MemberSkeletons />;
  if (props.total + props.guests.length === 0) {
    return (
      <p className={styles.empty} data-dense={props.isDense}>
        {props.isFiltered ? t('noMatch') : t('empty')}
      </p>
    );
  }
  return <MemberRows {...props} rows={props.rows} />;
}

function MemberRows(props: MemberListProps & { rows: readonly MemberRow[] }) {
  const { rows: read, guests, total, asked, isDense = false, onMore, renderRow } = props;
  const { t } = useTranslation('members');
  const scroller = useRef<HTMLDivElement>(null);
  const pressable = useRowHeight();
  const isCoarse = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false });
  const height = isDense && !isCoarse ? DENSE_ROW_PX : pressable;
  const newest = [...read, ...guests];
  const steady = useSteadyRows(newest, ({ id }) => id, { total: total + guests.length, asked });
  // Members who left show 'away'; members who moved beyond what was read show 'unknown', because no news of them come.
  // The focus doesn't hold the list, because one click would hold it for hours of talking.
  const known = new Set(newest.map(({ id }) => id));
  const rows = steady.rows.map(({ row, isGone }): MemberRow => {
    if (isGone) return { ...row, presence: 'away' };
    return known.has(row.id) ? row : { ...row, presence: 'unknown' };
  });
  const { onPointerEnter, onPointerLeave } = steady.hold;
  const members = rows.filter(({ isGuest }) => !isGuest);
  const held = steady.rows.filter(({ row, isGone }) => !row.isGuest && !isGone).length;
  const unread = Math.max(0, total - Math.max(read.length, held));
  const count = rows.length + unread;
  const rowAt = (index: number) => members[index] ?? rows[index - unread];
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => (isUnread(index) ? index : (rowAt(index)?.id ?? index)),
    overscan: 8,
  });
  function isUnread(index: number): boolean {
    return index >= members.length && index < members.length + unread;
  }
  useEffect(() => {
    if (height > 0) virtual.measure();
  }, [virtual, height]);
  const items = virtual.getVirtualItems();
  const wanted = items.findLast(({ index }) => isUnread(index))?.index;
  useEffect(() => {
    if (wanted !== undefined) onMore(wanted);
  });
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      data-dense={isDense}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard, and has no focusable content
      tabIndex={0}
      onPointerEnter={onPointerEnter}
      onPointerLeave={onPointerLeave}
    >
      <ul className={styles.list} style={{ height: virtual.getTotalSize() }} aria-label={t('title')}>
        {items.map(({ index, start }) => {
          const row = isUnread(index) ? undefined : rowAt(index);
          const style = { height, transform: `translateY(${start}px)` };
          if (row === undefined) {
            return (
              <li key={index} className={styles.row} style={style} aria-hidden="true">
                <Skeleton height={12} width="60%" />
              </li>
            );
          }
          return (
            <li
              key={row.id}
              className={styles.row}
              style={style}
              data-presence={row.presence}
              aria-setsize={count}
              aria-posinset={index + 1}
            >
              {renderRow(row)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function MemberSkeletons() {
  return (
    <div className={styles.list} aria-hidden="true">
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} height={20} my={8} mx={16} width="70%" />
      ))}
    </div>
  );
}

interface LocatingProps {
  row: MemberRow;
  onLocate: ((userId: UserId, name: string) => void) | undefined;
  children: ReactNode;
}

/** The text of a row, as a button that shows its person on the map, for users who may see it (MEM6). */
export function Locating({ row, onLocate, children }: LocatingProps) {
  const { t } = useTranslation('members');
  if (onLocate === undefined || row.isGuest) return children;
  return (
    <button type="button" className={styles.locate} title={t('locate')} onClick={() => onLocate(row.id, row.name)}>
      {children}
    </button>
  );
}
