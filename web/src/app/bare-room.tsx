import type { ReactNode } from 'react';
import { useSession } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { HowToEnterPage, OfflinePage } from './pages/plain-page.tsx';
import styles from './room-routes.module.css';
import { Banners } from './shell/banners.tsx';
import { SignedIn } from './signed-in.tsx';

export interface BareRoomProps {
  children: ReactNode;
  /** Shown instead of the room while nobody is signed in. By default a page that says how to get in. */
  signedOut?: ReactNode;
}

/** A room without the console, for phones and links. The page is public; entering the room needs a session. */
export function BareRoom({ children, signedOut }: BareRoomProps) {
  const session = useSession();
  const state = useSnapshot(session);
  switch (state.state) {
    case 'signedIn':
      return (
        <SignedIn user={state.user}>
          <div className={styles.bare}>
            <Banners />
            <div className={styles.room}>{children}</div>
          </div>
        </SignedIn>
      );
    case 'unreachable':
      return <OfflinePage />;
    case 'signedOut':
      return signedOut ?? <HowToEnterPage />;
    case 'unknown':
      return null;
    default:
      return state satisfies never;
  }
}
