import type { ActiveChannel, OwnChannel } from '@pressel/contract/dashboard';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ConnectedCount } from '#src/shared/lists/channel-talk.tsx';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { Card, MoreLink, Nothing, ShowWaiting } from './card.tsx';
import styles from './channel-rows.module.css';

/** The channels with the most users (spec §2). */
export function TopChannels({ channels }: { channels: readonly ActiveChannel[] }) {
  const { t } = useTranslation('dashboard');
  const { rows, waiting, hold, onShow } = useSteadyRows(channels, ({ id }) => id);
  return (
    <Card area="channels" title={t('top.title')} act={<MoreLink to="/channelsList">{t('allChannels')}</MoreLink>}>
      <ShowWaiting count={waiting} onShow={onShow} />
      {rows.length === 0 ? (
        <Nothing more={t('top.noneMore')}>{t('top.none')}</Nothing>
      ) : (
        <ol className={styles.rows} {...hold}>
          {rows.map(({ row, isGone }) => (
            <ChannelRow key={row.id} channel={row} isGone={isGone} />
          ))}
        </ol>
      )}
    </Card>
  );
}

export interface ChannelRowProps {
  channel: ActiveChannel;
  /** Its row is still shown, but nothing lies behind it any more. */
  isGone: boolean;
  marks?: string | undefined;
}

/** A channel by name, with how many of its members are there, and when something last happened in it. */
function ChannelRow({ channel, isGone, marks }: ChannelRowProps) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  const { lastActivityAt } = channel;
  const content = (
    <>
      <span className={styles.name} dir="auto" title={channel.name}>
        {channel.name}
      </span>
      <span className={styles.count}>
        <ConnectedCount connected={isGone ? 0 : channel.connected} userCount={channel.userCount} />
      </span>
      <span className={styles.foot}>
        <span className={styles.last}>
          {lastActivityAt === null ? (
            t('top.noActivity')
          ) : (
            <time dateTime={lastActivityAt}>{formatDateTime(lastActivityAt, current)}</time>
          )}
        </span>
        {marks !== undefined && <span className={styles.marks}>{marks}</span>}
      </span>
    </>
  );
  return (
    <li className={styles.row}>
      {isGone ? (
        <div className={styles.gone}>{content}</div>
      ) : (
        <Link to="/groupCallView/$roomId" params={{ roomId: channel.rtcSession }} className={styles.link}>
          {content}
        </Link>
      )}
    </li>
  );
}

/** A member's channels, with who is in them and what the member missed. */
export function OwnChannels({ channels, empty }: { channels: readonly OwnChannel[]; empty: ReactNode }) {
  const { t } = useTranslation('dashboard');
  const { rows, waiting, hold, onShow } = useSteadyRows(channels, ({ id }) => id);
  return (
    <Card area="channels" title={t('myChannels')} act={<MoreLink to="/channelsList">{t('allChannels')}</MoreLink>}>
      <ShowWaiting count={waiting} onShow={onShow} />
      {rows.length === 0 ? (
        empty
      ) : (
        <ul className={styles.rows} {...hold}>
          {rows.map(({ row, isGone }) => (
            <OwnRow key={row.id} channel={row} isGone={isGone} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function OwnRow({ channel, isGone }: { channel: OwnChannel; isGone: boolean }) {
  const { t } = useTranslation('dashboard');
  const marks = [
    channel.missedTalks > 0 && t('own.missedTalks', { count: channel.missedTalks }),
    channel.unread > 0 && t('own.unread', { count: channel.unread }),
  ].filter((mark) => mark !== false);
  return <ChannelRow channel={channel} isGone={isGone} marks={marks.length === 0 ? undefined : marks.join(' · ')} />;
}
