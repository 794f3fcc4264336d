import type { ChannelId } from '@pressel/contract/ids';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useUnread } from './chat-context.tsx';
import styles from './unread-mark.module.css';

/** More fit no mark. */
const SHOWN_MAX = 99;

/** How many messages of a channel were not read; nothing when all were. Renders by itself when that changes. */
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
