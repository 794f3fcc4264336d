import { useNavigate, useRouter } from '@tanstack/react-router';
import { SignUpPage } from '#src/features/auth/sign-up-page.tsx';

export function SignUpRoute() {
  const navigate = useNavigate();
  const { history } = useRouter();
  return (
    <SignUpPage
      // An administrator finds the first steps there. Replaces the entry, so that 'back' skips this form.
      onSignedIn={(role) => history.replace(role === 'admin' ? '/dashboard' : '/channelsList')}
      onRegistered={(login) => void navigate({ to: '/signin', state: { registeredLogin: login }, replace: true })}
    />
  );
}
