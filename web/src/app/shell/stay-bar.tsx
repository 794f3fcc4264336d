import { Button } from '@mantine/core';
import { IconAntenna, IconEar, IconMicrophone, IconWifiOff, type TablerIcon } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { ShareMark } from '#src/features/positions/share-position.tsx';
import { type FaceKind, talkFace } from '#src/features/voice/button/talk-face.ts';
import { isHeld } from '#src/features/voice/engine/button-acts.ts';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { causeOf, isFinal } from '#src/features/voice/final-status.ts';
import { countPeople } from '#src/features/voice/people.ts';
import type { Stay } from '#src/features/voice/stays.ts';
import { faceDetail, faceTitle, useVoiceWords, type VoiceWords } from '#src/features/voice/talk-words.ts';
import { useRoomTitle } from '#src/features/voice/use-room-title.ts';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { inSentence } from '#src/shared/format/format.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import styles from './stay-bar.module.css';

const ICONS: Partial<Record<FaceKind, TablerIcon>> = { talking: IconAntenna, busy: IconEar, no_link: IconWifiOff };

/** The room that one is in while another page is shown: who talks, a talk button, the way back and out. */
export function StayBar({ stay, onLeave }: { stay: Stay; onLeave: () => void }) {
  const t = useVoiceWords();
  const snapshot = useSnapshot(stay.room);
  useRoomTitle(snapshot);
  const { channel, status } = snapshot;
  const name = channel?.name ?? t('room.unnamed');
  const isOver = isFinal(status);
  const face = talkFace(snapshot);
  const Icon = ICONS[face.kind] ?? IconMicrophone;
  const title = faceTitle(t, face);
  return (
    <section className={styles.bar} aria-label={t('stay.label', { name })} data-stay-bar="" data-face={face.kind}>
      <div className={styles.place}>
        {channel === null || isOver ? (
          <span className={styles.name} dir="auto">
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
        <span className={styles.news}>{newsOf(t, snapshot)}</span>
      </div>
      {!isOver && (
        <div className={styles.sharing}>
          <ShareMark sharing={stay.sharing} isLive={status.state === 'joined'} />
        </div>
      )}
      {!isOver && (
        <button
          type="button"
          className={styles.talk}
          ref={stay.actions.bindButton}
          aria-pressed={isHeld(snapshot.talk)}
          data-talk-button=""
          data-state={face.kind}
          title={title}
        >
          <Icon size={20} aria-hidden="true" />
          <span className={styles.title}>{title}</span>
        </button>
      )}
      <Button variant="default" onClick={onLeave} className={styles.leave}>
        {t(isOver ? 'stay.dismiss' : 'room.leave')}
      </Button>
      <VoiceAnnouncer snapshot={snapshot} />
    </section>
  );
}

/** The line below the name: what is the matter, else who talks, else how many are there. */
function newsOf(t: VoiceWords, snapshot: RoomSnapshot): string {
  const { status, talkers, playback, participants } = snapshot;
  const face = talkFace(snapshot);
  if (isFinal(status)) return t(`closed.${causeOf(status)}`);
  switch (face.kind) {
    case 'denied':
    case 'revoked':
    case 'unheard':
    case 'late':
    case 'no_link':
    case 'joining':
      return faceDetail(t, face, undefined);
    default:
  }
  if (playback === 'blocked') return t('notice.blocked');
  if (talkers.length > 0) return talkers.map((one) => t('announce.talking', { name: inSentence(one.name) })).join(', ');
  return t('stay.listening', { count: countPeople(participants).users });
}
