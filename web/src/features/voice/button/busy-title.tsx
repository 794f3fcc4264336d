import { longestWord } from '../longest-word.ts';
import { useVoiceWords } from '../talk-words.ts';
import styles from './busy-title.module.css';

/** Letters of a word that stand in one line of the button at the size for reading from afar. */
const WIDE_WORD = 9;
const LONGEST_WORD = 14;

/** Size of a name by its longest word. */
function sizeOf(name: string): 'l' | 'm' | 's' {
  const longest = longestWord(name);
  if (longest > LONGEST_WORD) return 's';
  return longest > WIDE_WORD ? 'm' : 'l';
}

/** Who talks, in letters that are read from afar. The words are those of `talk.busy`. */
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
