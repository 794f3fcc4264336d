import { Button } from '@mantine/core';
import { IconBug } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Stay } from '#src/features/voice/stays.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { Notice } from '#src/shared/ui/notice.tsx';
import { PartBoundary } from '#src/shared/ui/part-boundary.tsx';
import { StayBar } from '../shell/stay-bar.tsx';
import styles from './room-crash.module.css';

interface RoomCrashProps {
  stay: Stay;
  onLeave: () => void;
  children: ReactNode;
}

/**
 * If a room's page throws, an error replaces it. The user stays in the room, and can talk, leave and come back by its
 * bar [APP11].
 */
export function RoomCrash({ stay, onLeave, children }: RoomCrashProps) {
  return (
    <PartBoundary
      onFail={() => {
        // The talk button is gone with the page [TALK67].
        stay.room.stop();
        // The switches of camera and screen are gone too, and so is the own picture. Nobody may be seen without knowing
        // it.
        stay.room.video?.setCamera(false);
        stay.room.video?.stopSharing();
        stay.room.pageTalk.setKey({ isOnItsPage: false });
      }}
      onRetry={() => stay.room.pageTalk.setKey({ isOnItsPage: true })}
      failed={(_error, onRetry) => <Crashed stay={stay} onLeave={onLeave} onRetry={onRetry} />}
    >
      {children}
    </PartBoundary>
  );
}

function Crashed({ stay, onLeave, onRetry }: Omit<RoomCrashProps, 'children'> & { onRetry: () => void }) {
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
        <StayBar stay={stay} onLeave={onLeave} />
      </div>
    </div>
  );
}
