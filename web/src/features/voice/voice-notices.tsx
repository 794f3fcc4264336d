import { Button } from '@mantine/core';
import { IconEarOff, IconMicrophoneOff, IconUsers, IconVolumeOff, IconWifiOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { formatList } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { MissedTalks } from './engine/types.ts';
import { useVoiceWords } from './talk-words.ts';
import { type RoomSource, useRoomSelector, type VoiceActions } from './use-room-selector.ts';
import styles from './voice-notices.module.css';

/** Maximum number of missed talkers' names. */
const NAMES_MAX = 4;

/**
 * Current problems, most urgent first, each with what still works and how to fix it. Link problems are not alerts: the
 * console's banner or the announcer announces them (KEYS5).
 */
export function VoiceNotices({ room, actions }: { room: RoomSource; actions: VoiceActions }) {
  const t = useVoiceWords();
  const { status, isTalking, isSoundOff, crowd } = useRoomSelector(room, (snapshot) => ({
    status: snapshot.status,
    isTalking: snapshot.talk.state === 'talking',
    isSoundOff: snapshot.isSoundOff,
    crowd: snapshot.isLarge ? snapshot.participants.length : undefined,
  }));
  return (
    <NoticeStack>
      {status.state === 'lost' && (
        <Notice
          kind="lost"
          icon={<IconWifiOff />}
          title={t('notice.lost')}
          more={t(isTalking ? 'notice.lostTalking' : 'notice.lostMore')}
          aside={t('notice.lostAside')}
          act={
            <Button size="sm" variant="default" onClick={actions.reconnect}>
              {t('notice.retry')}
            </Button>
          }
        />
      )}
      {status.state === 'silent' && (
        <Notice
          kind="lost"
          icon={<IconWifiOff />}
          title={t('notice.silent')}
          more={t('notice.silentMore')}
          act={
            <Button size="sm" variant="default" onClick={actions.reconnect}>
              {t('notice.reconnect')}
            </Button>
          }
        />
      )}
      <MissedNotice room={room} actions={actions} />
      {isSoundOff && (
        <Notice
          kind="info"
          role="alert"
          icon={<IconVolumeOff />}
          title={t('notice.soundOff')}
          aside={t('notice.soundOffMore')}
          act={
            <Button size="sm" onClick={() => actions.setSoundOff(false)}>
              {t('notice.soundOn')}
            </Button>
          }
        />
      )}
      <DeviceNotices room={room} actions={actions} />
      {crowd !== undefined && <Notice kind="quiet" icon={<IconUsers />} title={t('tile.large', { count: crowd })} />}
    </NoticeStack>
  );
}

/** Faults of the microphone and the sound, which all rooms of the page share. */
export function DeviceNotices({ room, actions }: { room: RoomSource; actions: VoiceActions }) {
  const t = useVoiceWords();
  const { isLost, playback, microphone, isLoudspeakerGone } = useRoomSelector(room, (snapshot) => ({
    isLost: snapshot.status.state === 'lost',
    playback: snapshot.playback,
    microphone: snapshot.microphone,
    isLoudspeakerGone: snapshot.isLoudspeakerGone,
  }));
  return (
    <>
      {playback === 'blocked' && (
        <Notice
          kind="act"
          icon={<IconVolumeOff />}
          title={t('notice.blocked')}
          act={
            <Button size="sm" onClick={() => void actions.unlockAudio()}>
              {t('notice.unlock')}
            </Button>
          }
        />
      )}
      {microphone.state === 'unavailable' && (
        <Notice
          kind="info"
          role="alert"
          icon={<IconMicrophoneOff />}
          title={t(`notice.${microphone.reason}`)}
          more={t(`notice.${microphone.reason}More`)}
          aside={isLost ? undefined : t('notice.listening')}
          // No retry button: retrying doesn't make the page's origin secure.
          act={
            microphone.reason !== 'insecure' && (
              <RetryMicrophone retry={actions.retryMicrophone} label={t('notice.retry')} />
            )
          }
        />
      )}
      {isLoudspeakerGone && (
        <Notice
          kind="info"
          role="alert"
          icon={<IconVolumeOff />}
          title={t('notice.loudspeakerGone')}
          more={t('notice.loudspeakerGoneMore')}
        />
      )}
    </>
  );
}

/**
 * The number of missed talks and their talkers, until the user has read it [TALK104]. Only this notice tells screen
 * readers [KEYS9].
 */
export function MissedNotice({ room, actions }: { room: RoomSource; actions: Pick<VoiceActions, 'dismissMissed'> }) {
  const t = useVoiceWords();
  const missed = useRoomSelector(room, (snapshot) => snapshot.missed);
  const namesOf = useNames();
  if (missed === null) return null;
  return (
    <Notice
      kind="missed"
      role="alert"
      icon={<IconEarOff />}
      title={t('notice.missed', { count: missed.count })}
      more={t('notice.missedMore', { names: namesOf(missed) })}
      act={
        <Button size="sm" variant="default" onClick={actions.dismissMissed}>
          {t('notice.understood')}
        </Button>
      }
    />
  );
}

export function NoticeStack({ children }: { children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

/** Lists the first few names of missed talkers, in the language's list format, and how many more there are. */
function useNames(): (missed: MissedTalks) => string {
  const t = useVoiceWords();
  const language = useShownLanguage();
  return ({ names }) => {
    const shown = names.length > NAMES_MAX ? names.slice(0, NAMES_MAX - 1) : names;
    const others = names.length - shown.length;
    return formatList([...shown, ...(others === 0 ? [] : [t('notice.others', { count: others })])], language);
  };
}

function RetryMicrophone({ retry, label }: { retry: () => Promise<void>; label: string }) {
  const [isTrying, setTrying] = useState(false);
  return (
    <Button
      size="sm"
      variant="default"
      loading={isTrying}
      onClick={() => {
        setTrying(true);
        void retry().finally(() => setTrying(false));
      }}
    >
      {label}
    </Button>
  );
}

interface NoticeProps {
  kind: 'lost' | 'missed' | 'act' | 'info' | 'quiet';
  role?: 'alert';
  icon: ReactNode;
  title: string;
  more?: string;
  /** Shown only if there is room, because the talk button says the same. */
  aside?: string | undefined;
  act?: ReactNode;
}

export function Notice({ kind, role, icon, title, more, aside, act }: NoticeProps) {
  return (
    <div className={styles.notice} data-kind={kind} role={role}>
      <span className={styles.icon} aria-hidden="true">
        {icon}
      </span>
      <p className={styles.text}>
        <strong>{title}</strong> {more !== undefined && <span className={styles.more}>{more}</span>}{' '}
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </p>
      {act}
    </div>
  );
}
