import { ActionIcon, Button } from '@mantine/core';
import { IconArrowLeft, IconLoader2, IconVideo, IconWifi, IconWifiOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { useVoiceWords, type VoiceWords } from '#src/features/voice/talk-words.ts';
import { type RoomSource, useRoomSelector } from '#src/features/voice/use-room-selector.ts';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { countPeople } from './people.ts';
import styles from './room-header.module.css';

export interface RoomHeaderProps {
  room: RoomSource;
  /** Shown until the channel's name is loaded. */
  fallbackName: string;
  onLeave: () => void;
  /** Shows the list while the user stays in the room; undefined where there is no list. */
  onBack: (() => void) | undefined;
  /** The label of `onBack` where it doesn't lead to the list. */
  backLabel?: string | undefined;
  /** The switcher to other channels, beside this one's name. */
  switcher?: ReactNode;
  /** The buttons that show and fold the room's panes. */
  panes: ReactNode;
  settings: ReactNode;
}

const LINKS = {
  up: IconWifi,
  joining: IconLoader2,
  silent: IconWifiOff,
  lost: IconWifiOff,
} as const;

/** Says how many are here, guests apart from users. A guest who is alone is told just that. */
function hereWords(t: VoiceWords, users: number, guests: number): string {
  if (users === 0) return guests === 1 ? t('room.alone') : t('room.here', { count: guests });
  const here = t('room.here', { count: users });
  return guests === 0 ? here : `${here} ${t('room.guestsHere', { count: guests })}`;
}

/** Channel name, number of participants, link state, and the leave button. */
export function RoomHeader(props: RoomHeaderProps) {
  const { room, fallbackName, onLeave, onBack, switcher, panes, settings } = props;
  const t = useVoiceWords();
  const known = useRoomSelector(room, ({ channel }) => channel?.name);
  const name = known ?? (fallbackName === '' ? t('room.unnamed') : fallbackName);
  const link = useRoomSelector(room, ({ status }) => linkWord(status.state));
  const LinkIcon = LINKS[link];
  const { users, guests, connections } = useRoomSelector(room, ({ participants }) => ({
    ...countPeople(participants),
    connections: participants.length,
  }));
  const back = props.backLabel ?? t(onBack === undefined ? 'room.leaveLong' : 'room.back');
  return (
    <header className={styles.header}>
      <ButtonTooltip label={back}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={back}
          onClick={onBack ?? onLeave}
          className={styles.back}
          data-stays={onBack !== undefined || undefined}
        >
          <IconArrowLeft size={20} aria-hidden="true" />
        </ActionIcon>
      </ButtonTooltip>
      <div className={styles.titles}>
        <div className={styles.place}>
          <h1 className={styles.name} title={name} dir="auto">
            {name}
          </h1>
          {switcher}
        </div>
        <p className={styles.facts}>
          <span className={styles.link} data-link={link}>
            <LinkIcon size={16} aria-hidden="true" />
            <span className={styles.word}>{t(`link.${link}`)}</span>
          </span>
          {/* Without a link the number is unknown. */}
          {link === 'up' && <span>{hereWords(t, users, guests)}</span>}
          {/* Each connection has a tile. */}
          {link === 'up' && connections > users + guests && (
            <span>{t('room.connections', { count: connections })}</span>
          )}
        </p>
      </div>
      <div className={styles.acts}>
        {panes}
        {settings}
        <Button variant="default" onClick={onLeave} className={styles.leave}>
          {t('room.leave')}
        </Button>
      </div>
    </header>
  );
}

/**
 * A link from the radio into the video view. It says how many people show a picture there [VID13]. `isSpare`: on a
 * phone it leaves its place to the other buttons; the palette leads there too.
 */
export function VideoViewLink({ room, isSpare }: { room: RoomSource; isSpare: boolean }) {
  const t = useVoiceWords();
  const roomId = useRoomSelector(room, ({ channel }) => channel?.rtcSession);
  const count = useRoomSelector(
    room,
    ({ participants }) => participants.filter(({ video }) => video === 'camera' || video === 'screen').length,
  );
  if (roomId === undefined) return null;
  const label = count === 0 ? t('room.video') : t('room.videoShown', { count });
  return (
    <ButtonTooltip label={label}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={label}
        className={styles.toggle}
        data-spare={isSpare || undefined}
        renderRoot={(root) => <Link to="/join/$roomId" params={{ roomId }} {...root} />}
      >
        <IconVideo size={20} aria-hidden="true" />
        {count > 0 && (
          <span className={styles.shown} aria-hidden="true">
            {count}
          </span>
        )}
      </ActionIcon>
    </ButtonTooltip>
  );
}

function linkWord(state: RoomSnapshot['status']['state']): keyof typeof LINKS {
  if (state === 'joined') return 'up';
  return state === 'joining' || state === 'silent' ? state : 'lost';
}
