import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Shown, VoiceSnapshot } from './call-controller.ts';
import styles from './call-pictures.module.css';

/** A moving picture, drawn by the voice engine's component. */
export type PictureOf = (props: Shown & { label: string; isMirrored?: boolean }) => React.ReactNode;

export interface CallPicturesProps {
  voice: VoiceSnapshot;
  /** The other user's name. */
  name: string;
  Picture: PictureOf;
}

/**
 * Pictures of a call: the other user's large, the own one small beside it (RING16). Renders nothing while nobody shows
 * anything.
 */
export function CallPictures({ voice: { theirs, video }, name, Picture }: CallPicturesProps) {
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
