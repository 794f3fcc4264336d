import type { UserId } from '@pressel/contract/ids';
import {
  IconAntenna,
  IconEar,
  IconHourglass,
  IconLoader2,
  IconMicrophone,
  IconPlugConnectedX,
  IconVolume,
  IconVolume3,
  IconVolumeOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { type CSSProperties, memo } from 'react';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import type { RoomParticipant } from '../engine/types.ts';
import { type LevelMeter, useLevel } from '../level-meter.ts';
import { longestWord, type Presence, presenceOf, useVoiceWords } from '../talk-words.ts';
import styles from './participants.module.css';
import { PersonTag } from './person-tag.tsx';
import { VolumeControl } from './volume-control.tsx';

export const PRESENCE_ICONS: Record<Presence, TablerIcon> = {
  self: IconMicrophone,
  selfTalking: IconAntenna,
  connected: IconEar,
  talking: IconVolume,
  unheard: IconVolumeOff,
  silenced: IconVolume3,
  queued: IconHourglass,
  connecting: IconLoader2,
  interrupted: IconPlugConnectedX,
  failed: IconPlugConnectedX,
};

/** Share of the ring's size by which a voice widens it around the avatar. */
const HALO_REACH = 0.4;

/**
 * A participant's tile: name and state, as text and icon. Its outer size never changes. Among many tiles, only that of
 * a changed participant renders: the others keep their identity.
 */
export const ParticipantTile = memo(function ParticipantTile(props: {
  participant: RoomParticipant;
  /** Whether self has a working microphone. */
  canTalk: boolean;
  levels: LevelMeter;
  onVolume: (userId: UserId, volume: number) => void;
  canSetVolume: boolean;
}) {
  const { participant, canTalk, levels } = props;
  const t = useVoiceWords();
  const presence = presenceOf(participant, canTalk);
  const word = presenceWord(t, presence, participant.queuePosition);
  const Icon = PRESENCE_ICONS[presence];
  const isHeard = presence === 'talking' || presence === 'selfTalking';
  // The user's own voice moves the talk button. Each voice moves only one element, because each costs a part of every
  // frame [TALK90].
  const halo = useLevel<HTMLSpanElement>(levels, presence === 'talking' ? participant.id : undefined, HALO_REACH);
  return (
    <li className={styles.cell}>
      <div className={styles.tile} data-tile="" data-presence={presence} data-self={participant.isSelf || undefined}>
        {participant.guest !== null && <PersonTag says="guest" place="tile" />}
        {participant.isOwnOther && <PersonTag says="ownOther" place="tile" />}
        {(participant.video === 'camera' || participant.video === 'screen') && (
          <PersonTag says={participant.video} place="tileEnd" />
        )}
        <span className={styles.avatar} aria-hidden={participant.isSelf ? undefined : true}>
          {isHeard && <span className={styles.halo} ref={halo} aria-hidden="true" />}
          {participant.isSelf ? (
            t('tile.you')
          ) : (
            <Avatar size="place" photo={participant.photo} name={participant.initialsOf} />
          )}
        </span>
        <span
          className={styles.name}
          title={participant.name}
          dir="auto"
          style={{ '--letters': longestWord(participant.name) } as CSSProperties}
        >
          {participant.name}
        </span>
        <span className={styles.state}>
          <Icon className={styles.stateIcon} aria-hidden="true" stroke={1.8} />
          <span className={styles.stateWord} title={word}>
            {word}
          </span>
        </span>
        {!participant.isSelf && (
          <VolumeControl
            name={participant.name}
            volume={participant.volume}
            onChange={(volume) => props.onVolume(participant.userId, volume)}
            hasSteps={props.canSetVolume}
          />
        )}
      </div>
    </li>
  );
});

/** The word for a presence. `position`: position in the queue, if any. */
export function presenceWord(t: ReturnType<typeof useVoiceWords>, presence: Presence, position: number): string {
  return presence === 'queued' ? t('tile.queued', { position }) : t(`tile.${presence}`);
}
