import { useVoiceWords } from '../talk-words.ts';
import styles from './person-tag.module.css';

/**
 * Marks a participant: a guest who came by a guest link [GUEST8], the same user in another tab or on another device
 * [TALK52], or, for users of the video view, somebody who shows a picture [VID13]. `tile`: at the upper border of a
 * tile; `tileEnd`: at its other end; `picture`: over a picture.
 */
export function PersonTag({
  says,
  place,
}: {
  says: 'guest' | 'ownOther' | 'camera' | 'screen';
  place: 'tile' | 'tileEnd' | 'picture' | 'row';
}) {
  const t = useVoiceWords();
  return (
    <span className={styles.tag} data-place={place}>
      {t(`tile.${says}`)}
    </span>
  );
}
