import type { ChannelId, UserId } from '@pressel/contract/ids';
import { Link } from '@tanstack/react-router';
import { createContext, Fragment, type ReactNode, use } from 'react';
import { formatMessageTime, formatTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useUser } from '#src/shared/services.tsx';
import styles from './messages.module.css';
import { mentionParts, textParts } from './text-parts.ts';

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

interface MessageHeadProps {
  /** The sender of the messages that follow; undefined for the user. */
  name: string | undefined;
  at: string;
  /** Whether a heading above shows the day: then the time stands alone. */
  isUnderDay?: boolean;
  /** For administrators: the name links to this user's log entries in this channel. */
  log?: { by: UserId; channel: ChannelId } | undefined;
}

/** The sender of the messages that follow, and the time. */
export function MessageHead({ name, at, isUnderDay = false, log }: MessageHeadProps) {
  const { t } = useTranslation('chat');
  const { current } = useLanguage();
  const tab = useRowTab();
  const full = formatMessageTime(at, current);
  return (
    <p className={styles.head} id={useRowPartId('head')}>
      {log === undefined || name === undefined ? (
        <span className={styles.name} title={name} dir="auto">
          {name ?? t('me')}
        </span>
      ) : (
        <Link
          className={styles.name}
          to="/activities"
          search={{ ...log, scope: 'all' }}
          tabIndex={tab}
          title={t('row.log', { name })}
          dir="auto"
        >
          {name}
        </Link>
      )}
      <time className={styles.time} dateTime={at} title={isUnderDay ? full : undefined}>
        {isUnderDay ? (
          <>
            <span aria-hidden="true">{formatTime(Date.parse(at), current)}</span>
            {/* Screen readers come here without passing the heading. */}
            <span className="spoken">{full}</span>
          </>
        ) : (
          full
        )}
      </time>
    </p>
  );
}

interface RowContextValue {
  /** Prefix of the ids of a row's parts. */
  id: string;
  /** Whether the Tab key leads to the row's controls: only in the current row. */
  isCurrent: boolean;
}

const RowContext = createContext<RowContextValue | undefined>(undefined);

/** Tells the parts of a row in the list which row they are in. */
export function RowProvider({ id, isCurrent, children }: RowContextValue & { children: ReactNode }) {
  return <RowContext value={{ id, isCurrent }}>{children}</RowContext>;
}

/** The tabIndex of a control in a row; undefined outside the list, where each control is a Tab stop [KEYS10]. */
export function useRowTab(): 0 | -1 | undefined {
  const place = use(RowContext);
  if (place === undefined) return undefined;
  return place.isCurrent ? 0 : -1;
}

/** The id of a row's part, by which the row is named; undefined outside the list. */
export function useRowPartId(part: RowPart): string | undefined {
  const place = use(RowContext);
  return place && rowPartId(place.id, part);
}

type RowPart = 'head' | 'words' | 'state';
export const rowPartId = (id: string, part: RowPart): string => `${id}-${part}`;
