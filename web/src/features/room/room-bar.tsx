import { Button } from '@mantine/core';
import {
  IconAntenna,
  IconEar,
  IconMicrophone,
  IconMicrophoneOff,
  IconVolume3,
  IconWifiOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { ShareMark } from '#src/features/positions/share-position.tsx';
import { isHeld } from '#src/features/voice/engine/talk-holds.ts';
import { causeOf, isFinal, type RoomSnapshot } from '#src/features/voice/engine/types.ts';
import {
  isWithoutSound,
  type TalkButtonKind,
  type TalkButtonState,
  talkButtonState,
} from '#src/features/voice/talk-button-state.ts';
import { talkButtonDetail, talkButtonTitle, useVoiceWords, type VoiceWords } from '#src/features/voice/talk-words.ts';
import { type RoomSource, useRoomSelector, type VoiceActions } from '#src/features/voice/use-room-selector.ts';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { MissedNotice } from '#src/features/voice/voice-notices.tsx';
import type { EnteredRoom } from './entered-rooms.ts';
import { countPeople } from './people.ts';
import styles from './room-bar.module.css';
import { RoomTitle } from './room-title.ts';

const ICONS: Partial<Record<TalkButtonKind, TablerIcon>> = {
  talking: IconAntenna,
  busy: IconEar,
  no_microphone: IconMicrophoneOff,
  no_link: IconWifiOff,
};

function iconOf(talkButton: TalkButtonState): TablerIcon {
  if (isWithoutSound(talkButton)) return talkButton.kind === 'busy' ? IconVolume3 : IconMicrophoneOff;
  return ICONS[talkButton.kind] ?? IconMicrophone;
}

/** The current room while another page is shown: who talks, missed talks, a talk button, the ways back and out. */
export function RoomBar({ enteredRoom, onLeave }: { enteredRoom: EnteredRoom; onLeave: () => void }) {
  const t = useVoiceWords();
  const { room, actions } = enteredRoom;
  const channel = useRoomSelector(room, (snapshot) => snapshot.channel);
  const state = useRoomSelector(room, ({ status }) => status.state);
  const isOver = useRoomSelector(room, ({ status }) => isFinal(status));
  const talkButton = useRoomSelector(room, talkButtonState);
  const news = useRoomSelector(room, (snapshot) => newsOf(t, snapshot));
  const name = channel?.name ?? t('room.unnamed');
  return (
    <section
      className={styles.bar}
      aria-label={t('stay.label', { name })}
      data-stay-bar=""
      data-face={talkButton.kind}
      data-soundless={isWithoutSound(talkButton) || undefined}
    >
      {!isOver && <MissedNotice room={room} actions={actions} />}
      <div className={styles.row}>
        <div className={styles.place}>
          {channel === null || isOver ? (
            <span className={styles.name} title={name} dir="auto">
              {name}
            </span>
          ) : (
            <Link
              to="/groupCallView/$roomId"
              params={{ roomId: channel.rtcSession }}
              className={styles.name}
              title={t('stay.back')}
              dir="auto"
            >
              {name}
            </Link>
          )}
          <span className={styles.news}>{news}</span>
        </div>
        {!isOver && (
          <div className={styles.sharing}>
            <ShareMark sharing={enteredRoom.sharing} isLive={state === 'joined'} />
          </div>
        )}
        {!isOver && <TalkInLine room={room} bind={actions.bindButton} />}
        <Button variant="default" onClick={onLeave} className={styles.leave}>
          {t(isOver ? 'stay.dismiss' : 'room.leave')}
        </Button>
      </div>
      <VoiceAnnouncer room={room} />
      <RoomTitle room={room} />
    </section>
  );
}

/** A talk button in a line. */
export function TalkInLine({ room, bind }: { room: RoomSource; bind: VoiceActions['bindButton'] }) {
  const t = useVoiceWords();
  const talkButton = useRoomSelector(room, talkButtonState);
  const isPressed = useRoomSelector(room, ({ talk }) => isHeld(talk));
  const Icon = iconOf(talkButton);
  const title = talkButtonTitle(t, talkButton);
  return (
    <button
      type="button"
      className={styles.talk}
      ref={bind}
      aria-pressed={isPressed}
      data-talk-button=""
      data-state={talkButton.kind}
      title={title}
    >
      <Icon size={20} aria-hidden="true" />
      <span className={styles.title}>{title}</span>
    </button>
  );
}

/** The line below a room's name: the problem, else who talks, else how many are there. */
export function newsOf(t: VoiceWords, snapshot: RoomSnapshot): string {
  const { status, talkers, playback, participants, isSoundOff } = snapshot;
  const talkButton = talkButtonState(snapshot);
  if (isFinal(status)) return t(`closed.${causeOf(status)}`);
  // The banner says that the link is lost, and that the app tries again.
  if (status.state === 'lost' && talkButton.kind === 'no_link') return t('notice.lostMore');
  switch (talkButton.kind) {
    case 'no_link':
    case 'denied':
    case 'revoked':
    case 'unheard':
    case 'late':
    case 'joining':
      return talkButtonDetail(t, talkButton, undefined);
    case 'talking':
      if (talkButton.isSoundless) return talkButtonDetail(t, talkButton, undefined);
      if (talkButton.isCut) return t('stay.cut');
      break;
    case 'no_microphone':
      if (talkButton.isMuted) return talkButtonDetail(t, talkButton, undefined);
      break;
    case 'busy':
      if (talkButton.isSilenced && !isSoundOff) return talkButtonDetail(t, talkButton, undefined);
      break;
    default:
  }
  if (isSoundOff) return t('notice.soundOff');
  if (playback === 'blocked') return t('notice.blocked');
  if (talkers.length > 0) return talkers.map((one) => t('announce.talking', { name: one.name })).join(', ');
  return t('stay.listening', { count: countPeople(participants).users });
}
