import { Button } from '@mantine/core';
import {
  IconDoorExit,
  IconLinkOff,
  IconLogout,
  IconQuestionMark,
  IconTrashX,
  IconUserX,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { causeOf, type FinalCause, type FinalStatus } from '#src/features/voice/engine/types.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import styles from './room-closed.module.css';

const ICONS: Record<FinalCause, TablerIcon> = {
  not_found: IconQuestionMark,
  not_a_member: IconUserX,
  unauthenticated: IconLogout,
  other: IconQuestionMark,
  removed: IconUserX,
  deleted: IconTrashX,
  signed_out: IconLogout,
  link_ended: IconLinkOff,
  left: IconDoorExit,
};

export interface RoomClosedProps {
  status: FinalStatus;
  onBack: () => void;
  onSignIn: () => void;
  onAgain: () => void;
  /** Further information about a room that is closed to the user; shown only then. */
  children?: ReactNode;
}

/** Causes after which the room no longer exists, or not for this user. */
const SHUT_OUT: ReadonlySet<FinalCause> = new Set(['not_found', 'not_a_member', 'removed', 'deleted']);

/** Replaces a room that can't be entered or has ended. Says what happened, and the next step. */
export function RoomClosed({ status, onBack, onSignIn, onAgain, children }: RoomClosedProps) {
  const t = useVoiceWords();
  const cause = causeOf(status);
  const Icon = ICONS[cause];
  const isSignedOut = cause === 'unauthenticated' || cause === 'signed_out';
  const isWorthRetrying = cause === 'other' || cause === 'left';
  return (
    <div className={styles.page} data-room-closed={cause}>
      <Icon className={styles.icon} aria-hidden="true" stroke={1.5} />
      <h1 className={styles.title}>{t(`closed.${cause}`)}</h1>
      <p className={styles.more}>{t(`closed.${cause}More`)}</p>
      <div className={styles.acts}>
        {isSignedOut && <Button onClick={onSignIn}>{t('closed.signIn')}</Button>}
        {isWorthRetrying && <Button onClick={onAgain}>{t('closed.again')}</Button>}
        {!isSignedOut && (
          <Button variant={isWorthRetrying ? 'default' : 'filled'} onClick={onBack}>
            {t('closed.back')}
          </Button>
        )}
      </div>
      {SHUT_OUT.has(cause) && children}
    </div>
  );
}
