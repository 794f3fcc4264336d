import { useVoiceWords } from '../talk-words.ts';
import styles from './person-tag.module.css';

/**
 * Says that somebody came by a guest link [GUEST8], or is oneself in another tab or on another device [TALK52]. `tile`: at the
 * upper border of a tile; `picture`: over a picture.
 */
export function PersonTag({ says, place }: { says: 'guest' | 'ownOther'; place: 'tile' | 'picture' | 'row' }) {
  const t = useVoiceWords();
  return (
    <span className={styles.tag} data-place={place}>
      {t(`tile.${says}`)}
    </span>
  );
}
