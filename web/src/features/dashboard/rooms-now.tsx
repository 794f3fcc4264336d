import type { Dashboard, LiveRoom } from '@pressel/contract/dashboard';
import { IconVolume } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatList, isolated } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { Card, Nothing, ShowWaiting } from './card.tsx';
import styles from './channel-rows.module.css';
import page from './dashboard.module.css';

/** Shows who is in which room now, and who talks. One click leads into the room. */
export function RoomsNow({ live }: { live: Dashboard['live'] }) {
  const { t } = useTranslation('dashboard');
  const { rows, waiting, hold, onShow } = useSteadyRows(live.rooms, ({ id }) => id);
  return (
    <Card
      area="live"
      title={t('live.title')}
      fact={`${t('live.connected', { count: live.connected })} · ${t('live.inRooms', { count: live.inRooms })}`}
    >
      <ShowWaiting count={waiting} onShow={onShow} />
      <div className={page.pane}>
        {rows.length === 0 ? (
          <Nothing>{t('live.nobody')}</Nothing>
        ) : (
          <ul className={styles.rows} {...hold}>
            {rows.map(({ row, isGone }) => (
              <Room key={row.id} room={isGone ? emptied(row) : row} />
            ))}
          </ul>
        )}
        {live.outside.count > 0 && <Outside outside={live.outside} />}
      </div>
    </Card>
  );
}

/** A room that everybody left, while its row is still shown. */
const emptied = (room: LiveRoom): LiveRoom => ({
  ...room,
  connected: 0,
  users: [],
  guests: { count: 0, names: [] },
  talkers: [],
});

function Room({ room }: { room: LiveRoom }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  const talkers = room.talkers.map(({ name }) => name);
  const { guests } = room;
  const counts = [
    (room.connected > 0 || guests.count === 0) && t('live.people', { count: room.connected }),
    guests.count > 0 && t('live.guests', { count: guests.count }),
  ].filter((count) => count !== false);
  const named = [...room.users.map(({ name }) => name), ...guests.names];
  return (
    <li
      className={`${styles.row} ${styles.room}`}
      data-talking={talkers.length > 0 || undefined}
      data-empty={room.connected + guests.count === 0 || undefined}
    >
      <Link to="/groupCallView/$roomId" params={{ roomId: room.rtcSession }} className={styles.link}>
        <span className={styles.name} dir="auto" title={room.name}>
          {room.name}
        </span>
        <span className={styles.people}>{counts.join(' · ')}</span>
        {talkers.length > 0 ? (
          <span className={styles.talkers}>
            <IconVolume size={16} aria-hidden="true" />
            {t('live.talks', { count: talkers.length, names: formatList(talkers, current) })}
          </span>
        ) : (
          <Present names={named} of={room.connected + guests.count} />
        )}
      </Link>
    </li>
  );
}

/** Shows who is online, but in none of these rooms. */
function Outside({ outside }: { outside: Dashboard['live']['outside'] }) {
  const { t } = useTranslation('dashboard');
  return (
    <div className={`${styles.row} ${styles.outside}`}>
      <h3 className={styles.name}>{t('live.outside')}</h3>
      <span className={styles.people}>{t('live.people', { count: outside.count })}</span>
      <Present names={outside.users.map(({ name }) => name)} of={outside.count} />
    </div>
  );
}

/** Shows names in one line, and how many more there are. */
function Present({ names, of }: { names: readonly string[]; of: number }) {
  const { t } = useTranslation('dashboard');
  const more = of - names.length;
  const text = `${names.map(isolated).join(', ')}${more > 0 ? ` ${t('live.more', { count: more })}` : ''}`;
  return (
    <span className={styles.present} title={text}>
      {text}
    </span>
  );
}
