import { useRowTab } from './current-row.tsx';
import { textParts } from './links.ts';
import styles from './messages.module.css';

/** What somebody wrote: never markup; web addresses can be opened. */
export function MessageText({ text }: { text: string }) {
  const tab = useRowTab();
  return (
    <p className={styles.text} dir="auto">
      {textParts(text).map((part) =>
        part.href === undefined ? (
          part.text
        ) : (
          // With a direction of its own it is not turned round by what stands before it.
          <a key={part.at} href={part.href} tabIndex={tab} dir="ltr" target="_blank" rel="noopener noreferrer">
            {part.text}
          </a>
        ),
      )}
    </p>
  );
}
