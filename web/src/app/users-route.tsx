import { getRouteApi } from '@tanstack/react-router';
import { UserTransferButtons } from '#src/features/transfer/export/transfer-buttons.tsx';
import { UsersPage } from '#src/features/users/users-page.tsx';
import { useUser } from '#src/shared/services.tsx';
import { isStep, searchAfter, USER_SORTS, useRememberedSize, viewOf } from './list-address.ts';
import { AdminsOnlyPage } from './pages/plain-page.tsx';

const usersRoute = getRouteApi('/console/usersList');

export function UsersRoute() {
  const isAdmin = useUser().role === 'admin';
  const search = usersRoute.useSearch();
  const navigate = usersRoute.useNavigate();
  const { size, remember } = useRememberedSize('users');
  if (!isAdmin) return <AdminsOnlyPage />;
  return (
    <UsersPage
      view={viewOf(search, USER_SORTS, size)}
      onView={(change, isSilent) => {
        remember(change);
        void navigate({ search: (known) => searchAfter(known, change), replace: isSilent === true || !isStep(change) });
      }}
      transfer={<UserTransferButtons />}
    />
  );
}
