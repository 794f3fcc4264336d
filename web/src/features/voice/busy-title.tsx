import styles from './busy-title.module.css';
import { useVoiceWords } from './talk-words.ts';

/** Who talks, in letters that are read from afar. The words are those of `talk.busy`. */
export function BusyTitle({ name }: { name: string }) {
  const t = useVoiceWords();
  return (
    <span className={styles.title}>
      <span>{t('talk.busyLead')}</span> <bdi className={styles.name}>{name}</bdi> <span>{t('talk.busyTail')}</span>
    </span>
  );
}
