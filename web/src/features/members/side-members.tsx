import type { ChannelId, UserId } from '@pressel/contract/ids';
import { type ReactNode, useState } from 'react';
import { nameDirection } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useLink } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LoadError } from '#src/shared/ui/load-states.tsx';
import { Locating, MemberList, PRESENCE_ICONS } from './member-list.tsx';
import styles from './members.module.css';
import { type MemberRow, memberRows } from './members.rules.ts';
import { useMembers } from './use-members.ts';

/** Minimum number of members for which the filter is shown. */
const FILTER_FROM = 8;

export interface SideMembersProps {
  channelId: ChannelId;
  /** Shows somebody on the map; undefined for users who may not see it. */
  onLocate: ((userId: UserId, name: string) => void) | undefined;
  /** Renders the buttons at the end of a row. */
  acts: (row: MemberRow) => ReactNode;
}

/** The members of the room's channel beside the console, and which of them are connected (spec §2, Shell). */
export function SideMembers({ channelId, onLocate, acts }: SideMembersProps) {
  const { t } = useTranslation('members');
  const [filter, setFilter] = useState('');
  // Without the link nobody's presence is known.
  const isLive = useLink() === 'up';
  const { part, asked, error, onRetry, onMore } = useMembers(channelId, { filter, isDescending: false });
  if (part === undefined) return error === null ? null : <LoadError error={error} onRetry={onRetry} />;
  const isFiltered = part.view.filter.trim() !== '';
  return (
    <div className={styles.side}>
      {/* Also shown while the filter is being cleared and the list still shows what it found. */}
      {(isFiltered || filter.trim() !== '' || part.total >= FILTER_FROM) && (
        <FilterBox value={filter} onChange={setFilter} label={t('filter')} />
      )}
      <MemberList
        isDense
        rows={memberRows(part.rows, { channelId, participants: undefined, isLive })}
        guests={[]}
        total={part.total}
        asked={asked}
        isFiltered={isFiltered}
        onMore={onMore}
        renderRow={(row) => (
          <>
            <Locating row={row} onLocate={onLocate}>
              <SideMember row={row} />
            </Locating>
            {acts(row)}
          </>
        )}
      />
    </div>
  );
}

function SideMember({ row }: { row: MemberRow }) {
  const { t } = useTranslation('members');
  const Icon = PRESENCE_ICONS[row.presence];
  return (
    <>
      <Icon className={styles.dot} size={12} role="img" aria-label={t(row.presence)} />
      <span className={styles.name} title={`${row.name} · ${t(row.presence)}`} dir={nameDirection(row.name)}>
        {row.name}
      </span>
    </>
  );
}
