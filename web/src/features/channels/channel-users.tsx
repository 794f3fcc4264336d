import { ActionIcon, Button, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ChannelId } from '@pressel/contract/ids';
import { LIST_MAX_LIMIT } from '@pressel/contract/limits';
import type { ChannelMember } from '@pressel/contract/users';
import {
  IconChevronRight,
  IconCircle,
  IconCircleDashed,
  IconCircleFilled,
  IconCircleHalf2,
  IconUsersPlus,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { inSentence } from '#src/shared/format/format.ts';
import { memberName } from '#src/shared/format/member-name.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { isInRoom } from '#src/shared/lists/is-in-room.ts';
import { presentFirst } from '#src/shared/lists/member-order.ts';
import { useLink } from '#src/shared/realtime/use-link.ts';
import { useApi } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LoadError } from '#src/shared/ui/load-states.tsx';
import styles from './channel-users.module.css';
import { channelMembersPage, channelQuery } from './channels.queries.ts';

/** Members rendered at a time: rendering thousands would disturb the audio of a talk. */
const STEP = 50;
/** Minimum number of members for which the filter is shown. */
const FILTER_FROM = 8;

export interface ChannelUsersProps {
  channelId: ChannelId;
  /** Shown until the channel is loaded. */
  fallbackName: string;
  /** For administrators: opens the dialog that adds and removes users. */
  onManage: (() => void) | undefined;
}

/** 'Users in …' (spec §2, Shell): the members of the room's channel, and which of them are connected. */
export function ChannelUsers({ channelId, fallbackName, onManage }: ChannelUsersProps) {
  const { t } = useTranslation('channels');
  const listId = useId();
  const [isOpen, setOpen] = useState(true);
  const channel = useQuery(channelQuery(useApi(), channelId)).data;
  if (channel === null) return null;
  const name = inSentence(channel?.name ?? fallbackName);
  return (
    <section className={styles.section} aria-label={t('here.title', { name })}>
      <div className={styles.head}>
        <UnstyledButton
          className={styles.expand}
          aria-expanded={isOpen}
          aria-controls={listId}
          title={t('here.title', { name })}
          onClick={() => setOpen((was) => !was)}
        >
          <IconChevronRight className={styles.chevron} size={16} aria-hidden="true" />
          <span className={styles.title}>{t('here.title', { name })}</span>
        </UnstyledButton>
        {onManage && (
          <ActionIcon variant="subtle" aria-label={t('here.manage')} title={t('here.manage')} onClick={onManage}>
            <IconUsersPlus size={17} aria-hidden="true" />
          </ActionIcon>
        )}
      </div>
      <div id={listId} hidden={!isOpen}>
        {isOpen && <Members channelId={channelId} userCount={channel?.userCount ?? 0} />}
      </div>
    </section>
  );
}

function Members({ channelId, userCount }: { channelId: ChannelId; userCount: number }) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const [filter, setFilter] = useState('');
  const [wanted] = useDebouncedValue(filter, 150);
  const [limit, setLimit] = useState(STEP);
  // Without the link nobody is known to be anywhere.
  const isLive = useLink() === 'up';
  const members = useQuery(channelMembersPage(useApi(), channelId, { filter: wanted, limit }, current));
  const page = members.data;
  if (page === undefined) {
    return members.isError ? <LoadError error={members.error} onRetry={() => void members.refetch()} /> : null;
  }
  const hidden = page.total - page.rows.length;
  return (
    <div className={styles.body}>
      {userCount >= FILTER_FROM && (
        <div>
          <FilterBox
            value={filter}
            onChange={(text) => {
              setFilter(text);
              setLimit(STEP);
            }}
            label={t('here.filter')}
          />
        </div>
      )}
      {page.rows.length === 0 && (
        <p className={styles.none}>{t(wanted.trim() === '' ? 'here.none' : 'here.noMatch')}</p>
      )}
      <ul>
        {presentFirst(page.rows, (member) => isInRoom(member, channelId)).map((member) => (
          <Member key={member.id} member={member} presence={isLive ? presenceOf(member, channelId) : 'unknown'} />
        ))}
      </ul>
      {hidden > 0 && limit < LIST_MAX_LIMIT && (
        <Button
          size="xs"
          variant="subtle"
          loading={members.isPlaceholderData}
          onClick={() => setLimit(Math.min(limit * 2, LIST_MAX_LIMIT))}
        >
          {t('here.more', { count: Math.min(hidden, limit, LIST_MAX_LIMIT - limit) })}
        </Button>
      )}
      {hidden > 0 && limit >= LIST_MAX_LIMIT && <p className={styles.none}>{t('here.narrow', { count: hidden })}</p>}
    </div>
  );
}

const ICONS = {
  connected: IconCircleFilled,
  online: IconCircleHalf2,
  away: IconCircle,
  unknown: IconCircleDashed,
};
type Presence = keyof typeof ICONS;

function presenceOf(member: ChannelMember, channelId: ChannelId): Presence {
  if (isInRoom(member, channelId)) return 'connected';
  return member.user_sockets.length > 0 ? 'online' : 'away';
}

function Member({ member, presence }: { member: ChannelMember; presence: Presence }) {
  const { t } = useTranslation('channels');
  const Icon = ICONS[presence];
  return (
    <li className={styles.member} data-presence={presence} title={t(`here.${presence}`)}>
      <Icon className={styles.dot} size={12} role="img" aria-label={t(`here.${presence}`)} />
      <bdi className={styles.name}>{memberName(member)}</bdi>
    </li>
  );
}
