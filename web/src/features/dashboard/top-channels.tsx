import type { ActiveChannel } from '@pressel/contract/dashboard';
import { Link } from '@tanstack/react-router';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ConnectedCount } from '#src/shared/ui/connected-count.tsx';
import { Card, MoreLink, Nothing } from './card.tsx';
import styles from './channel-rows.module.css';

/** The channels with the most users (spec §2). */
export function TopChannels({ channels }: { channels: readonly ActiveChannel[] }) {
  const { t } = useTranslation('dashboard');
  return (
    <Card area="channels" title={t('top.title')} act={<MoreLink to="/channelsList">{t('allChannels')}</MoreLink>}>
      {channels.length === 0 ? (
        <Nothing more={t('top.noneMore')}>{t('top.none')}</Nothing>
      ) : (
        <ol className={styles.rows}>
          {channels.map((channel) => (
            <ChannelRow key={channel.id} channel={channel} />
          ))}
        </ol>
      )}
    </Card>
  );
}

/** A channel by name, with who is there of how many, and when something happened in it last. */
export function ChannelRow({ channel, marks }: { channel: ActiveChannel; marks?: string | undefined }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  const { lastActivityAt } = channel;
  return (
    <li className={styles.row}>
      <Link to="/groupCallView/$roomId" params={{ roomId: channel.rtcSession }} className={styles.link}>
        <span className={styles.name} dir="auto" title={channel.name}>
          {channel.name}
        </span>
        <span className={styles.count}>
          <ConnectedCount connected={channel.connected} userCount={channel.userCount} />
        </span>
        <span className={styles.last}>
          {lastActivityAt === null ? (
            t('top.noActivity')
          ) : (
            <time dateTime={lastActivityAt}>{formatDateTime(lastActivityAt, current)}</time>
          )}
        </span>
        {marks !== undefined && <span className={styles.marks}>{marks}</span>}
      </Link>
    </li>
  );
}
