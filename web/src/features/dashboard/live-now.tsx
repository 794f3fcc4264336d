import type { Dashboard, LiveRoom } from '@pressel/contract/dashboard';
import { IconVolume } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatList, inSentence } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { Card, Nothing } from './card.tsx';
import styles from './channel-rows.module.css';
import { ShowWaiting } from './show-waiting.tsx';

/** Who is in which room now, and who talks. One click leads into the room. */
export function LiveNow({ live }: { live: Dashboard['live'] }) {
  const { t } = useTranslation('dashboard');
  const { rows, waiting, hold, onShow } = useSteadyRows(live.rooms, ({ id }) => id);
  return (
    <Card
      area="live"
      title={t('live.title')}
      fact={`${t('live.connected', { count: live.connected })} · ${t('live.inRooms', { count: live.inRooms })}`}
    >
      <ShowWaiting count={waiting} onShow={onShow} />
      {rows.length === 0 ? (
        <Nothing>{t('live.nobody')}</Nothing>
      ) : (
        <ul className={styles.rows} {...hold}>
          {rows.map(({ row, isGone }) => (
            <Room key={row.id} room={isGone ? emptied(row) : row} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** A room that everybody left, while its row still stands. */
const emptied = (room: LiveRoom): LiveRoom => ({ ...room, connected: 0, users: [], talkers: [] });

function Room({ room }: { room: LiveRoom }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  const talkers = room.talkers.map(({ name }) => inSentence(name));
  const others = room.connected - room.users.length;
  return (
    <li
      className={`${styles.row} ${styles.room}`}
      data-talking={talkers.length > 0 || undefined}
      data-empty={room.connected === 0 || undefined}
    >
      <Link to="/groupCallView/$roomId" params={{ roomId: room.rtcSession }} className={styles.link}>
        <span className={styles.name} dir="auto" title={room.name}>
          {room.name}
        </span>
        <span className={styles.people}>{t('live.people', { count: room.connected })}</span>
        {talkers.length > 0 ? (
          <span className={styles.talkers}>
            <IconVolume size={16} aria-hidden="true" />
            {t('live.talks', { count: talkers.length, names: formatList(talkers, current) })}
          </span>
        ) : (
          <span className={styles.present}>
            {room.users.map(({ name }) => inSentence(name)).join(', ')}
            {others > 0 && ` ${t('live.more', { count: others })}`}
          </span>
        )}
      </Link>
    </li>
  );
}
