import { textParts } from './links.ts';
import styles from './messages.module.css';

/** What somebody wrote: never markup; web addresses can be opened. */
export function MessageText({ text }: { text: string }) {
  return (
    <p className={styles.text} dir="auto">
      {textParts(text).map((part) =>
        part.href === undefined ? (
          part.text
        ) : (
          <a key={part.at} href={part.href} target="_blank" rel="noopener noreferrer">
            {part.text}
          </a>
        ),
      )}
    </p>
  );
}
