import { formatMessageTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRowPartId } from './current-row.tsx';
import styles from './messages.module.css';

/** Who wrote what follows, and when. Without a name: the user. */
export function MessageHead({ name, at }: { name: string | undefined; at: string }) {
  const { t } = useTranslation('chat');
  const { current } = useLanguage();
  return (
    <p className={styles.head} id={useRowPartId('head')}>
      <span className={styles.name} title={name} dir="auto">
        {name ?? t('me')}
      </span>
      <time className={styles.time} dateTime={at}>
        {formatMessageTime(at, current)}
      </time>
    </p>
  );
}
