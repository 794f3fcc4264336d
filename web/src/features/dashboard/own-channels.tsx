import type { OwnChannel } from '@pressel/contract/dashboard';
import type { ReactNode } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { Card, MoreLink } from './card.tsx';
import styles from './channel-rows.module.css';
import { ShowWaiting } from './show-waiting.tsx';
import { ChannelRow } from './top-channels.tsx';

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
