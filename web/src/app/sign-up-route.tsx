import { useNavigate } from '@tanstack/react-router';
import { SignUpPage } from '#src/features/auth/sign-up-page.tsx';

export function SignUpRoute() {
  const navigate = useNavigate();
  return (
    <SignUpPage
      onRegistered={(login) => void navigate({ to: '/signin', state: { registeredLogin: login }, replace: true })}
    />
  );
}
