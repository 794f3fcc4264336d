import { ActionIcon, Button, Skeleton, TextInput } from '@mantine/core';
import type { UserId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import {
  IconAntenna,
  IconCircle,
  IconCircleDashed,
  IconCircleFilled,
  IconCircleHalf2,
  IconSearch,
  IconSortAscendingLetters,
  IconSortDescendingLetters,
  IconVolume,
  type TablerIcon,
} from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { CallButton } from '#src/features/calls/call-button.tsx';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { GuestTag } from '#src/features/voice/tiles/guest-tag.tsx';
import { useShownLanguage } from '#src/shared/i18n/use-language.ts';
import { useFoundSaid } from '#src/shared/lists/use-found-said.ts';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { Face } from '#src/shared/ui/face.tsx';
import { Hint } from '#src/shared/ui/hint.tsx';
import { useRowHeight } from '#src/shared/ui/use-row-height.ts';
import styles from './room-members.module.css';
import {
  isReachable,
  type MemberPresence,
  type MemberRow,
  type MembersView,
  memberRows,
  namedMembers,
} from './room-members.rules.ts';

const ICONS: Record<MemberPresence, TablerIcon> = {
  selfTalking: IconAntenna,
  talking: IconVolume,
  here: IconCircleFilled,
  online: IconCircleHalf2,
  away: IconCircle,
  unknown: IconCircleDashed,
};

export interface RoomMembersProps {
  /** `undefined` during the first load. */
  members: readonly ChannelMember[] | undefined;
  hasFailed: boolean;
  onRetry: () => void;
  participants: readonly RoomParticipant[];
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
  /** At first, as the address has it. */
  view: MembersView;
  onView: (view: MembersView) => void;
  /** Shows somebody on the map; undefined for who may not see it. */
  onLocate: ((userId: UserId, name: string) => void) | undefined;
}

/** The channel's members and their presence, filtered and sorted by name. */
export function RoomMembers(props: RoomMembersProps) {
  const { members, hasFailed, onRetry, participants, isLive, onView, onLocate } = props;
  const t = useVoiceWords();
  const language = useShownLanguage();
  const [view, setView] = useState(props.view);
  const { filter, isDescending } = view;
  const change = (part: Partial<MembersView>) => {
    const next = { ...view, ...part };
    setView(next);
    onView(next);
  };
  const named = members && namedMembers(members);
  const rows = named && memberRows(named, participants, { filter, isDescending, language, isLive });
  useFoundSaid(filter, rows?.length);
  const SortIcon = isDescending ? IconSortDescendingLetters : IconSortAscendingLetters;
  const sortLabel = t(isDescending ? 'members.descending' : 'members.ascending');
  return (
    <div className={styles.panel}>
      <div className={styles.tools}>
        <TextInput
          className={styles.filter}
          size="sm"
          value={filter}
          onChange={(event) => change({ filter: event.currentTarget.value })}
          placeholder={t('members.filter')}
          aria-label={t('members.filter')}
          leftSection={<IconSearch size={16} aria-hidden="true" />}
        />
        <Hint label={sortLabel}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={sortLabel}
            onClick={() => change({ isDescending: !isDescending })}
          >
            <SortIcon size={18} aria-hidden="true" />
          </ActionIcon>
        </Hint>
      </div>
      {hasFailed && members === undefined ? (
        <div className={styles.empty}>
          <p>{t('members.failed')}</p>
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('members.retry')}
          </Button>
        </div>
      ) : (
        <MemberList
          rows={rows}
          asked={`${isDescending} ${filter.trim()}`}
          isFiltered={filter.trim() !== ''}
          onLocate={onLocate}
        />
      )}
    </div>
  );
}

interface MemberListProps extends Pick<RoomMembersProps, 'onLocate'> {
  rows: readonly MemberRow[] | undefined;
  isFiltered: boolean;
  /** Filter and order: another of them shows its answer at once. */
  asked: string;
}

function MemberList({ rows, isFiltered, asked, onLocate }: MemberListProps) {
  const t = useVoiceWords();
  if (rows === undefined) return <MemberSkeletons />;
  if (rows.length === 0) {
    return <p className={styles.empty}>{isFiltered ? t('members.noMatch') : t('members.empty')}</p>;
  }
  return <MemberRows rows={rows} asked={asked} onLocate={onLocate} />;
}

/** A virtual list: of thousands, only those in view are rendered. */
function MemberRows({
  rows: newest,
  asked,
  onLocate,
}: { rows: readonly MemberRow[]; asked: string } & Pick<RoomMembersProps, 'onLocate'>) {
  const t = useVoiceWords();
  const scroller = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const steady = useSteadyRows(newest, ({ id }) => id, { total: newest.length, asked });
  // Guests who left meanwhile; by focus it isn't held: one click would hold it while one talks for hours.
  const rows = steady.rows.map(({ row, isGone }): MemberRow => (isGone ? { ...row, presence: 'away' } : row));
  const { onPointerEnter, onPointerLeave } = steady.hold;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  useEffect(() => {
    if (height > 0) virtual.measure();
  }, [virtual, height]);
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard, and has no focusable content
      tabIndex={0}
      onPointerEnter={onPointerEnter}
      onPointerLeave={onPointerLeave}
    >
      <ul className={styles.list} style={{ height: virtual.getTotalSize() }} aria-label={t('members.title')}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={row.id}
              className={styles.row}
              style={{ height, transform: `translateY(${start}px)` }}
              data-presence={row.presence}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              {onLocate === undefined || row.isGuest ? (
                <MemberFacts row={row} />
              ) : (
                <button
                  type="button"
                  className={styles.locate}
                  title={t('members.locate')}
                  onClick={() => onLocate(row.id, row.name)}
                >
                  <MemberFacts row={row} />
                </button>
              )}
              {isReachable(row) && <CallButton id={row.id} name={row.name} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function MemberFacts({ row }: { row: MemberRow }) {
  const t = useVoiceWords();
  const Icon = ICONS[row.presence];
  return (
    <>
      <Icon size={14} className={styles.dot} aria-hidden="true" />
      <Face size={22} photo={row.photo} name={row.name} />
      {/* Its own direction: one from right to left is cut off at its end, which is at the left. */}
      <span className={styles.name} title={row.name} dir="auto">
        {row.name}
      </span>
      {row.isGuest && <GuestTag place="row" />}
      <span className={styles.word}>{t(`members.${row.presence}`)}</span>
    </>
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
