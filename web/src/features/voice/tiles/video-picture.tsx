import type { Picture } from '../engine/video.ts';
import styles from './video-tiles.module.css';

export interface VideoPictureProps extends Picture {
  label: string;
  /** Mirrors the picture: for the user's own camera. */
  isMirrored?: boolean;
}

/** A moving picture. A camera picture fills its container; a screen is shown in full. */
export function VideoPicture({ track, shows, label, isMirrored = false }: VideoPictureProps) {
  return (
    <video
      className={styles.picture}
      data-shows={shows}
      data-mirrored={isMirrored || undefined}
      aria-label={label}
      autoPlay
      playsInline
      muted
      ref={(element) => (element === null ? undefined : showPicture(element, track))}
    />
  );
}

/** Shows a track in an element, without sound: the links' own sinks play that, under the floor [VID9]. */
function showPicture(element: HTMLVideoElement, track: MediaStreamTrack): () => void {
  element.muted = true;
  element.srcObject = new MediaStream([track]);
  return () => {
    element.srcObject = null;
  };
}
