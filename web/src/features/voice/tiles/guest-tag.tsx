import { useVoiceWords } from '../talk-words.ts';
import styles from './guest-tag.module.css';

/** Says that somebody came by a guest link [GUEST8]. `tile`: at the upper border of a tile; `picture`: over a picture. */
export function GuestTag({ place }: { place: 'tile' | 'picture' | 'row' }) {
  const t = useVoiceWords();
  return (
    <span className={styles.tag} data-place={place}>
      {t('tile.guest')}
    </span>
  );
}
