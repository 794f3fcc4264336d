import type { ComponentType } from 'react';
import type { CallMediaSnapshot } from '#src/features/voice/engine/call-media.ts';
import { VideoPicture, type VideoPictureProps } from '#src/features/voice/tiles/video-picture.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './call-pictures.module.css';

export interface CallPicturesProps {
  voice: CallMediaSnapshot;
  /** The other user's name. */
  name: string;
  /** Draws one of them; tests pass a fake. */
  Picture?: ComponentType<VideoPictureProps>;
}

/**
 * Pictures of a call: the other user's large, the own one small beside it (RING16). Renders nothing while nobody shows
 * anything.
 */
export function CallPictures({ voice: { theirs, video }, name, Picture = VideoPicture }: CallPicturesProps) {
  const { t } = useTranslation('calls');
  const { own } = video;
  if (theirs === null && own === null) return null;
  return (
    <div className={styles.pictures} data-call-pictures="">
      {theirs !== null && (
        <div className={styles.theirs} data-shows={theirs.shows}>
          <Picture key={theirs.track.id} {...theirs} label={t(`theirs.${theirs.shows}`, { name })} />
        </div>
      )}
      {own !== null && (
        <div className={styles.own} data-shows={own.shows} data-alone={theirs === null || undefined}>
          <Picture key={own.track.id} {...own} label={t(`own.${own.shows}`)} isMirrored={own.shows === 'camera'} />
        </div>
      )}
    </div>
  );
}
