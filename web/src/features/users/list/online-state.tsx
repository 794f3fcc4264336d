import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from '../users.module.css';

/** A full dot or a ring, with the word. Without room for it, the word is for screen readers and for fingers that linger. */
export function OnlineState({ isOnline }: { isOnline: boolean }) {
  const { t } = useTranslation('users');
  const word = t(isOnline ? 'online' : 'offline');
  return (
    <span className={styles.state} data-online={isOnline || undefined} title={word}>
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.stateWord}>{word}</span>
    </span>
  );
}
