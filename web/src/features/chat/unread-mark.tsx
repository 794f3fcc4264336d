import type { ChannelId } from '@pressel/contract/ids';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useUnread } from './chat-context.tsx';
import styles from './unread-mark.module.css';

/** The highest number that fits a mark. */
const SHOWN_MAX = 99;

/** Number of unread messages of a channel; renders nothing without any. Renders by itself when the number changes. */
export function UnreadMark({ channelId }: { channelId: ChannelId }) {
  const { t } = useTranslation('channels');
  const count = useUnread(channelId);
  if (count === 0) return null;
  const words = t('unread', { count });
  return (
    <span className={styles.mark} title={words} data-unread={count}>
      <span aria-hidden="true">{count > SHOWN_MAX ? `${SHOWN_MAX}+` : count}</span>
      <span className={styles.words}>{words}</span>
    </span>
  );
}
