import type { UserId } from '@pressel/contract/ids';
import { memo } from 'react';
import { initials } from '#src/shared/format/format.ts';
import type { RoomParticipant } from '../engine/types.ts';
import type { VideoSnapshot } from '../engine/video.ts';
import { type LevelMeter, useLevel } from '../level-meter.ts';
import { presenceOf, useVideoWords, useVoiceWords } from '../talk-words.ts';
import { PRESENCE_ICONS, presenceWord } from './participant-tile.tsx';
import { PersonTag } from './person-tag.tsx';
import { VideoPicture } from './video-picture.tsx';
import styles from './video-tiles.module.css';
import { VolumeControl } from './volume-control.tsx';

/** Share of the ring's size by which a voice widens it around the avatar. */
const HALO_REACH = 0.3;

export interface VideoTileProps {
  participant: RoomParticipant;
  /** The track from their link; it has a picture while they show one. */
  track: MediaStreamTrack | undefined;
  /** Whether the tile is large beside all others, because it shows a screen. */
  isStaged: boolean;
  levels: LevelMeter;
  onVolume: (userId: UserId, volume: number) => void;
  canSetVolume: boolean;
}

/** The tile of another participant: their picture if they show one, otherwise an avatar; always with name and state. */
export const VideoTile = memo(function VideoTile(props: VideoTileProps) {
  const { participant, track, isStaged, levels, onVolume, canSetVolume } = props;
  const words = useVideoWords();
  const t = useVoiceWords();
  const { video } = participant;
  const presence = presenceOf(participant, true);
  const Icon = PRESENCE_ICONS[presence];
  const halo = useLevel<HTMLSpanElement>(levels, presence === 'talking' ? participant.id : undefined, HALO_REACH);
  const shown = video === 'camera' || video === 'screen' ? video : null;
  return (
    <li className={styles.cell} data-staged={isStaged || undefined}>
      <div className={styles.tile} data-tile="" data-presence={presence} data-video={video ?? 'none'}>
        <span className={styles.avatar} aria-hidden="true">
          {presence === 'talking' && <span className={styles.halo} ref={halo} />}
          {initials(participant.initialsOf)}
        </span>
        {shown !== null && track !== undefined && (
          <VideoPicture track={track} shows={shown} label={words(`tile.${shown}`, { name: participant.name })} />
        )}
        {participant.guest !== null && <PersonTag says="guest" place="picture" />}
        {participant.isOwnOther && <PersonTag says="ownOther" place="picture" />}
        <div className={styles.caption}>
          {/* This element itself cuts the text off, so that a right-to-left name is also cut at its end. */}
          <bdi className={styles.name} title={participant.name}>
            {participant.name}
          </bdi>
          <span className={styles.state}>
            <Icon className={styles.stateIcon} aria-hidden="true" stroke={1.8} />
            <span className={styles.stateWord}>{presenceWord(t, presence, participant.queuePosition)}</span>
          </span>
          {video === null && <span className={styles.tag}>{words('tile.radio')}</span>}
        </div>
        <VolumeControl
          name={participant.name}
          volume={participant.volume}
          onChange={(volume) => onVolume(participant.userId, volume)}
          hasSteps={canSetVolume}
        />
      </div>
    </li>
  );
});

/** Self's own picture, small and mirrored; or the reason why there is none. */
export function OwnPreview({ self, video }: { self: RoomParticipant | undefined; video: VideoSnapshot }) {
  const t = useVideoWords();
  const voice = useVoiceWords();
  const { own, camera } = video;
  const shows = own?.shows ?? 'off';
  return (
    <div
      className={styles.preview}
      data-tile=""
      data-self=""
      data-video={shows}
      data-presence={self === undefined ? 'connecting' : presenceOf(self, true)}
    >
      {own === null ? (
        <p className={styles.noPicture}>{t(`preview.${camera.state === 'on' ? 'off' : camera.state}`)}</p>
      ) : (
        <VideoPicture
          key={own.track.id}
          track={own.track}
          shows={own.shows}
          label={t(`preview.${own.shows}`)}
          isMirrored={own.shows === 'camera'}
        />
      )}
      <span className={styles.you}>{voice('tile.you')}</span>
    </div>
  );
}
