import { Fragment } from 'react';
import { useUser } from '#src/shared/services.tsx';
import { useRowTab } from './current-row.tsx';
import { textParts } from './links.ts';
import { mentionParts } from './mentions.ts';
import styles from './messages.module.css';

/** A message's text, never as markup; web addresses can be opened, and names after an `@` stand out. */
export function MessageText({ text }: { text: string }) {
  const me = useUser();
  const tab = useRowTab();
  return (
    <p className={styles.text} dir="auto">
      {textParts(text).map((part) =>
        part.href === undefined ? (
          <Fragment key={part.at}>
            {mentionParts(part.text, me).map(({ text: piece, at, mentions }) =>
              mentions === undefined ? (
                piece
              ) : (
                <mark key={at} className={styles.mention} data-mention={mentions} dir="auto">
                  {piece}
                </mark>
              ),
            )}
          </Fragment>
        ) : (
          // With its own direction, the address is not reversed by the text before it.
          <a key={part.at} href={part.href} tabIndex={tab} dir="ltr" target="_blank" rel="noopener noreferrer">
            {part.text}
          </a>
        ),
      )}
    </p>
  );
}
