import { VisuallyHidden } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { formatClock, formatDuration } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { LastTalk } from './engine/types.ts';
import styles from './last-talk.module.css';
import { useVoiceWords } from './talk-words.ts';

/** The last talker, when their talk ended and how long it was [TALK112]. Keeps its space until somebody has talked. */
export function LastTalkLine({ talk }: { talk: LastTalk | null }) {
  const t = useVoiceWords();
  const current = useShownLanguage();
  if (talk === null) return <p className={styles.line} />;
  const endedAt = Date.now() - (performance.now() - talk.endedAt);
  return (
    <p className={styles.line} title={t('last.label')} data-last-talk="">
      <IconHistory size={16} aria-hidden="true" className={styles.icon} />
      <VisuallyHidden>{t('last.label')}</VisuallyHidden>
      <bdi className={styles.name}>{talk.isSelf ? t('tile.you') : talk.name}</bdi>
      <span className={styles.fact}>{formatClock(endedAt, current)}</span>
      <span className={styles.fact}>{formatDuration(talk.durationMs, current)}</span>
    </p>
  );
}
