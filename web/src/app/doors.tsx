import { getRouteApi, useLocation, useRouter } from '@tanstack/react-router';
import { SignInPage } from '#src/features/auth/sign-in-page.tsx';
import { useSession } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { safeNext } from './safe-next.ts';

const signIn = getRouteApi('/signin');

export function SignInRoute() {
  const { next } = signIn.useSearch();
  const registeredLogin = useLocation({ select: (location) => location.state.registeredLogin });
  const session = useSnapshot(useSession());
  const { history } = useRouter();
  return (
    <SignInPage
      registeredLogin={registeredLogin}
      isExpired={session.state === 'signedOut' && session.reason === 'expired'}
      // Opens the page requested before, else the channels (spec §2). Replaces the entry, so that 'back' skips this
      // form.
      onSignedIn={() => history.replace(safeNext(next, window.location.origin) ?? '/channelsList')}
    />
  );
}
