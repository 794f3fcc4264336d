import { ActionIcon, Button, TextInput } from '@mantine/core';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { FILTER_MAX_LENGTH } from '@pressel/contract/limits';
import { IconSearch, IconSortAscendingLetters, IconSortDescendingLetters } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { nameDirection } from '#src/shared/format/format.ts';
import { useShownLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useFoundAnnouncement } from '#src/shared/ui/announcer.tsx';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { Locating, MemberList, PRESENCE_ICONS } from './member-list.tsx';
import styles from './members.module.css';
import { guestRows, type MemberRow, memberRows, type PersonInRoom } from './members.rules.ts';
import type { MembersView } from './members-part.ts';
import { useMembers } from './use-members.ts';

export interface MembersPanelProps {
  /** Undefined until the room was entered. */
  channelId: ChannelId | undefined;
  participants: readonly PersonInRoom[];
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
  /** The view at first, as in the address. */
  view: MembersView;
  onView: (view: MembersView) => void;
  /** Shows somebody on the map; undefined for users who may not see it. */
  onLocate: ((userId: UserId, name: string) => void) | undefined;
  /** Renders the buttons at the end of a row. */
  acts: (row: MemberRow) => ReactNode;
  /** Says in a row that somebody came by a guest link. */
  guestTag: ReactNode;
}

/** The channel's members and their presence, filtered and sorted by name. */
export function MembersPanel(props: MembersPanelProps) {
  const { channelId, participants, isLive, onView, onLocate, acts, guestTag } = props;
  const { t } = useTranslation('members');
  const language = useShownLanguage();
  const [view, setView] = useState(props.view);
  const { filter, isDescending } = view;
  const change = (changed: Partial<MembersView>) => {
    const next = { ...view, ...changed };
    setView(next);
    onView(next);
  };
  const { part, asked, error, onRetry, onMore } = useMembers(channelId, view);
  const room = { channelId, participants, isLive };
  const guests = guestRows(room, part?.view ?? view, language);
  const isAnswered = part?.view.filter.trim() === filter.trim();
  useFoundAnnouncement(filter, isAnswered ? part.total + guests.length : undefined);
  const SortIcon = isDescending ? IconSortDescendingLetters : IconSortAscendingLetters;
  const sortLabel = t(isDescending ? 'descending' : 'ascending');
  return (
    <div className={styles.panel}>
      <div className={styles.tools}>
        <TextInput
          className={styles.filter}
          size="sm"
          value={filter}
          // No call accepts more.
          maxLength={FILTER_MAX_LENGTH}
          onChange={(event) => change({ filter: event.currentTarget.value })}
          placeholder={t('filter')}
          aria-label={t('filter')}
          leftSection={<IconSearch size={16} aria-hidden="true" />}
        />
        <ButtonTooltip label={sortLabel}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={sortLabel}
            onClick={() => change({ isDescending: !isDescending })}
          >
            <SortIcon size={18} aria-hidden="true" />
          </ActionIcon>
        </ButtonTooltip>
      </div>
      {error !== null && part === undefined ? (
        <div className={styles.empty}>
          <p>{t('failed')}</p>
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('retry')}
          </Button>
        </div>
      ) : (
        <MemberList
          rows={part && memberRows(part.rows, room)}
          guests={part ? guests : []}
          total={part?.total ?? 0}
          asked={asked}
          isFiltered={(part?.view.filter ?? filter).trim() !== ''}
          onMore={onMore}
          renderRow={(row) => (
            <>
              <Locating row={row} onLocate={onLocate}>
                <MemberFacts row={row} guestTag={guestTag} />
              </Locating>
              {acts(row)}
            </>
          )}
        />
      )}
    </div>
  );
}

function MemberFacts({ row, guestTag }: { row: MemberRow } & Pick<MembersPanelProps, 'guestTag'>) {
  const { t } = useTranslation('members');
  const Icon = PRESENCE_ICONS[row.presence];
  return (
    <>
      <Icon size={14} className={styles.dot} aria-hidden="true" />
      <Avatar size={22} photo={row.photo} name={row.initialsOf} />
      {/* The name's own direction: a right-to-left name is cut off at its end, which is at the left. */}
      <span className={styles.name} title={row.name} dir={nameDirection(row.name)}>
        {row.name}
      </span>
      {row.isGuest && guestTag}
      <span className={styles.word}>{t(row.presence)}</span>
    </>
  );
}
