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
import { type FaceKind, isWithoutSound, type TalkFace, talkFace } from '#src/features/voice/button/talk-face.ts';
import { isHeld } from '#src/features/voice/engine/talk-holds.ts';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { causeOf, isFinal } from '#src/features/voice/final-status.ts';
import { countPeople } from '#src/features/voice/people.ts';
import { RoomTitle } from '#src/features/voice/room-title.ts';
import type { Stay } from '#src/features/voice/stays.ts';
import { faceDetail, faceTitle, useVoiceWords, type VoiceWords } from '#src/features/voice/talk-words.ts';
import { type RoomSource, useRoomPart } from '#src/features/voice/use-room-part.ts';
import type { VoiceActions } from '#src/features/voice/voice-actions.ts';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { MissedNotice } from '#src/features/voice/voice-notices.tsx';
import styles from './stay-bar.module.css';

const ICONS: Partial<Record<FaceKind, TablerIcon>> = {
  talking: IconAntenna,
  busy: IconEar,
  no_microphone: IconMicrophoneOff,
  no_link: IconWifiOff,
};

function iconOf(face: TalkFace): TablerIcon {
  if (isWithoutSound(face)) return face.kind === 'busy' ? IconVolume3 : IconMicrophoneOff;
  return ICONS[face.kind] ?? IconMicrophone;
}

/** The current room while another page is shown: who talks, missed talks, a talk button, the ways back and out. */
export function StayBar({ stay, onLeave }: { stay: Stay; onLeave: () => void }) {
  const t = useVoiceWords();
  const { room, actions } = stay;
  const channel = useRoomPart(room, (snapshot) => snapshot.channel);
  const state = useRoomPart(room, ({ status }) => status.state);
  const isOver = useRoomPart(room, ({ status }) => isFinal(status));
  const face = useRoomPart(room, talkFace);
  const news = useRoomPart(room, (snapshot) => newsOf(t, snapshot));
  const name = channel?.name ?? t('room.unnamed');
  return (
    <section
      className={styles.bar}
      aria-label={t('stay.label', { name })}
      data-stay-bar=""
      data-face={face.kind}
      data-soundless={isWithoutSound(face) || undefined}
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
            <ShareMark sharing={stay.sharing} isLive={state === 'joined'} />
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
  const face = useRoomPart(room, talkFace);
  const isPressed = useRoomPart(room, ({ talk }) => isHeld(talk));
  const Icon = iconOf(face);
  const title = faceTitle(t, face);
  return (
    <button
      type="button"
      className={styles.talk}
      ref={bind}
      aria-pressed={isPressed}
      data-talk-button=""
      data-state={face.kind}
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
  const face = talkFace(snapshot);
  if (isFinal(status)) return t(`closed.${causeOf(status)}`);
  // The banner says that the link is lost, and that the app tries again.
  if (status.state === 'lost' && face.kind === 'no_link') return t('notice.lostMore');
  switch (face.kind) {
    case 'no_link':
    case 'denied':
    case 'revoked':
    case 'unheard':
    case 'late':
    case 'joining':
      return faceDetail(t, face, undefined);
    case 'talking':
      if (face.isSoundless) return faceDetail(t, face, undefined);
      if (face.isCut) return t('stay.cut');
      break;
    case 'no_microphone':
      if (face.isMuted) return faceDetail(t, face, undefined);
      break;
    case 'busy':
      if (face.isSilenced && !isSoundOff) return faceDetail(t, face, undefined);
      break;
    default:
  }
  if (isSoundOff) return t('notice.soundOff');
  if (playback === 'blocked') return t('notice.blocked');
  if (talkers.length > 0) return talkers.map((one) => t('announce.talking', { name: one.name })).join(', ');
  return t('stay.listening', { count: countPeople(participants).users });
}
