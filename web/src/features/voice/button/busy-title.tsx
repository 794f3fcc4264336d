import { longestWord, useVoiceWords } from '../talk-words.ts';
import styles from './busy-title.module.css';

/** Number of letters of one word that fit a line of the button at its large size. */
const WIDE_WORD = 9;
const LONGEST_WORD = 14;

/** Font size of a name, by its longest word. */
function sizeOf(name: string): 'l' | 'm' | 's' {
  const longest = longestWord(name);
  if (longest > LONGEST_WORD) return 's';
  return longest > WIDE_WORD ? 'm' : 'l';
}

/** The talker's name in letters readable from afar. The words are those of `talk.busy`. */
export function BusyTitle({ name }: { name: string }) {
  const t = useVoiceWords();
  return (
    <span className={styles.title}>
      <span>{t('talk.busyLead')}</span>{' '}
      <bdi className={styles.name} data-size={sizeOf(name)}>
        {name}
      </bdi>{' '}
      <span>{t('talk.busyTail')}</span>
    </span>
  );
}
