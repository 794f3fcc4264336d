import { IconEar, IconEarOff, IconHistory, IconMicrophone, type TablerIcon } from '@tabler/icons-react';
import { formatClock, formatDateTime, formatDuration, formatRecent, isToday } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { RecentTalk } from './engine/types.ts';
import { useVoiceWords } from './talk-words.ts';
import styles from './talks-panel.module.css';
import { type RoomSource, useRoomSelector } from './use-room-selector.ts';

const ICONS: Record<RecentTalk['hearing'], TablerIcon> = {
  own: IconMicrophone,
  heard: IconEar,
  missed: IconEarOff,
  before: IconHistory,
};

/** The room's last talks: talker, time, duration, and whether the user heard them (TALK130, TALK131). */
export function TalksPanel({ room }: { room: RoomSource }) {
  const t = useVoiceWords();
  const talks = useRoomSelector(room, ({ recentTalks }) => recentTalks);
  if (talks.length === 0) return <p className={styles.none}>{t('talks.none')}</p>;
  return (
    <ol className={styles.list} aria-label={t('talks.title')}>
      {talks.map((talk) => (
        <Talk key={`${talk.userId} ${talk.beganAt}`} talk={talk} />
      ))}
    </ol>
  );
}

function Talk({ talk }: { talk: RecentTalk }) {
  const { name, endedAt, talkMs, talks, hearing } = talk;
  const t = useVoiceWords();
  const language = useShownLanguage();
  const Icon = ICONS[hearing];
  const ended = new Date(endedAt);
  const instant = ended.toISOString();
  return (
    <li className={styles.talk} data-hearing={hearing}>
      <Icon className={styles.icon} size={18} aria-hidden="true" />
      <bdi className={styles.name} title={name}>
        {name}
      </bdi>
      <time className={styles.time} dateTime={instant} title={formatDateTime(instant, language)}>
        {!isToday(ended) && `${formatRecent(instant, language)} `}
        {formatClock(endedAt, language)}
      </time>
      <span className={styles.hearing}>
        {t(`talks.${hearing}`)}
        {talks > 1 && ` · ${t('talks.count', { count: talks })}`}
      </span>
      <span className={styles.length}>{formatDuration(talkMs, language)}</span>
    </li>
  );
}
