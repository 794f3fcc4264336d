import { Button } from '@mantine/core';
import { IconBug } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ErrorBoundary } from '#src/shared/ui/error-boundary.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import type { EnteredRoom } from './entered-rooms.ts';
import { RoomBar } from './room-bar.tsx';
import styles from './room-crash.module.css';

interface RoomCrashProps {
  enteredRoom: EnteredRoom;
  onLeave: () => void;
  children: ReactNode;
}

/**
 * If a room's page throws, an error replaces it. The user stays in the room, and can talk, leave and come back by its
 * bar [APP11].
 */
export function RoomCrash({ enteredRoom, onLeave, children }: RoomCrashProps) {
  return (
    <ErrorBoundary
      onFail={() => {
        // The talk button is gone with the page [TALK67].
        enteredRoom.room.stop();
        // The switches of camera and screen are gone too, and so is the own picture. Nobody may be seen without knowing
        // it.
        enteredRoom.room.video?.setCamera(false);
        enteredRoom.room.video?.stopSharing();
        enteredRoom.room.pageTalk.setKey({ isOnItsPage: false });
      }}
      onRetry={() => enteredRoom.room.pageTalk.setKey({ isOnItsPage: true })}
      failed={(_error, onRetry) => <Crashed enteredRoom={enteredRoom} onLeave={onLeave} onRetry={onRetry} />}
    >
      {children}
    </ErrorBoundary>
  );
}

function Crashed({ enteredRoom, onLeave, onRetry }: Omit<RoomCrashProps, 'children'> & { onRetry: () => void }) {
  const t = useVoiceWords();
  return (
    <div className={styles.crash}>
      <main className={styles.notice}>
        <Notice
          icon={IconBug}
          title={t('crash.title')}
          acts={
            <Button variant="default" onClick={onRetry}>
              {t('panels.retry')}
            </Button>
          }
          level={1}
        >
          {t('crash.text')}
        </Notice>
      </main>
      <div
        onClickCapture={(event) => {
          if (!(event.target instanceof Element) || event.target.closest('a') === null) return;
          // The way back leads to this very address.
          event.preventDefault();
          onRetry();
        }}
      >
        <RoomBar enteredRoom={enteredRoom} onLeave={onLeave} />
      </div>
    </div>
  );
}
