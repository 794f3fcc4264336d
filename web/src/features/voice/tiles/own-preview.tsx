import type { RoomParticipant } from '../engine/types.ts';
import type { VideoSnapshot } from '../engine/video.ts';
import { presenceOf, useVoiceWords } from '../talk-words.ts';
import { useVideoWords } from '../video-words.ts';
import { VideoPicture } from './video-picture.tsx';
import styles from './video-tiles.module.css';

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
