import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { IconHistory, IconMapPinFilled, IconVolume } from '@tabler/icons-react';
import { formatDateTime, formatList, formatNumber, formatRecent } from '#src/shared/format/format.ts';
import { useLanguage, useShownLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useJoinedChannel } from '#src/shared/joined-channel.tsx';
import { useUser } from '#src/shared/services.tsx';
import styles from './channel-talk.module.css';
import connectedCountStyles from './connected-count.module.css';

export type TalkedIn = Pick<Channel, 'id' | 'talkers' | 'lastTalk'>;

/** Shows who talks in a channel now, else who talked last and when (LIST20). Empty if nobody has. */
export function ChannelTalk({ channel }: { channel: TalkedIn }) {
  const { t } = useTranslation('channels');
  const language = useShownLanguage();
  const selfId = useUser().id;
  const talkers = useTalkers(channel);
  const { lastTalk } = channel;
  if (talkers.some(({ userId }) => userId === selfId)) {
    return (
      <span className={styles.talk} data-talking="self">
        <IconVolume size={16} aria-hidden="true" />
        <span className={styles.words}>{t('talk.self')}</span>
      </span>
    );
  }
  if (talkers.length > 0) {
    const names = formatList(
      talkers.map(({ name }) => name),
      language,
    );
    const words = t('talk.now', { count: talkers.length, names });
    return (
      <span className={styles.talk} data-talking="other" title={words}>
        <IconVolume size={16} aria-hidden="true" />
        <span className={styles.words}>{words}</span>
      </span>
    );
  }
  if (lastTalk == null) return null;
  const at = formatDateTime(lastTalk.endedAt, language);
  return (
    <span className={styles.talk} title={t('talk.last', { name: lastTalk.name, at })}>
      <IconHistory size={16} aria-hidden="true" />
      <span className="spoken">{t('column.lastTalk')}</span>
      <bdi className={styles.words}>{lastTalk.name}</bdi>
      <time className={styles.time} dateTime={lastTalk.endedAt}>
        {formatRecent(lastTalk.endedAt, language)}
      </time>
    </span>
  );
}

/** Marks the channel whose room the user is in (LIST20). */
export function JoinedChannelMark({ channelId }: { channelId: ChannelId }) {
  const { t } = useTranslation('channels');
  if (useJoinedChannel()?.channelId !== channelId) return null;
  return (
    <span className={styles.here}>
      <IconMapPinFilled size={14} aria-hidden="true" />
      {t('talk.here')}
    </span>
  );
}

/** The own room knows best: different news tell lists and rooms who enters or leaves. */
function useTalkers({ id, talkers }: TalkedIn) {
  const joined = useJoinedChannel();
  return joined?.channelId === id ? joined.talkers : talkers;
}

/** Whether `ChannelTalk` has anything to show. */
export function useHasTalk(channel: TalkedIn): boolean {
  return useTalkers(channel).length > 0 || channel.lastTalk != null;
}

/**
 * Shows how many people are in a channel's room, of how many members (spec §2), with a full dot if anybody is.
 * Administrators who are not members may be there too, so the number can exceed the members. Then no fraction is shown
 * [DASH15].
 */
export function ConnectedCount({ connected, userCount }: { connected: number; userCount: number }) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const isPart = connected <= userCount;
  return (
    <span
      className={connectedCountStyles.count}
      title={t(isPart ? 'connectedOf' : 'connectedBeside', { connected, total: userCount })}
    >
      <span className={connectedCountStyles.dot} data-on={connected > 0 || undefined} aria-hidden="true" />
      {formatNumber(connected, current)}
      {isPart && <span className={connectedCountStyles.total}>/{formatNumber(userCount, current)}</span>}
    </span>
  );
}
