import {
  IconAntenna,
  IconEar,
  IconHourglass,
  IconLoader2,
  IconMicrophone,
  IconPlugConnectedX,
  IconVolume,
  IconVolumeOff,
  type TablerIcon,
} from '@tabler/icons-react';
import type { RoomParticipant } from './engine/types.ts';
import { initials } from './names.ts';
import styles from './participants.module.css';
import { type Presence, presenceOf, useVoiceWords } from './talk-words.ts';
import { useLevel } from './use-level.ts';
import type { VoiceActions } from './voice-actions.ts';

const ICONS: Record<Presence, TablerIcon> = {
  self: IconMicrophone,
  selfTalking: IconAntenna,
  connected: IconEar,
  talking: IconVolume,
  unheard: IconVolumeOff,
  queued: IconHourglass,
  connecting: IconLoader2,
  interrupted: IconPlugConnectedX,
  failed: IconPlugConnectedX,
};

/** A participant's tile: name and state, as text and icon. Its outer size never changes. */
export function ParticipantTile(props: {
  participant: RoomParticipant;
  /** Whether self has a working microphone. */
  canTalk: boolean;
  level: VoiceActions['level'];
}) {
  const { participant, canTalk, level } = props;
  const t = useVoiceWords();
  const presence = presenceOf(participant, canTalk);
  const Icon = ICONS[presence];
  const isHeard = presence === 'talking' || presence === 'selfTalking';
  const element = useLevel<HTMLDivElement>(isHeard, () => level(participant.id));
  return (
    <li className={styles.cell}>
      <div
        className={styles.tile}
        ref={element}
        data-tile=""
        data-presence={presence}
        data-self={participant.isSelf || undefined}
      >
        {participant.isSelf ? (
          <span className={styles.avatar}>{t('tile.you')}</span>
        ) : (
          <span className={styles.avatar} aria-hidden="true">
            {initials(participant.name)}
          </span>
        )}
        <span className={styles.name} title={participant.name}>
          <bdi>{participant.name}</bdi>
        </span>
        <span className={styles.state}>
          <Icon className={styles.stateIcon} aria-hidden="true" stroke={1.8} />
          <span className={styles.stateWord}>{stateWord(t, presence, participant.queuePosition)}</span>
        </span>
      </div>
    </li>
  );
}

function stateWord(t: ReturnType<typeof useVoiceWords>, presence: Presence, position: number): string {
  return presence === 'queued' ? t('tile.queued', { position }) : t(`tile.${presence}`);
}
