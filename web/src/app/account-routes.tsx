import { ProfilePage } from '#src/features/users/profile/profile-page.tsx';
import { useUser } from '#src/shared/services.tsx';

/** The own account. */
export function ProfileRoute() {
  return <ProfilePage key={useUser().id} />;
}
