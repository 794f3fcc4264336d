import { ImportPage } from '#src/features/transfer/import-page.tsx';
import { useUser } from '#src/shared/services.tsx';
import { AdminsOnlyPage } from './pages/plain-page.tsx';

export function UsersImportRoute() {
  const isAdmin = useUser().role === 'admin';
  return isAdmin ? <ImportPage key="users" kind="users" /> : <AdminsOnlyPage />;
}

export function ChannelsImportRoute() {
  const isAdmin = useUser().role === 'admin';
  return isAdmin ? <ImportPage key="channels" kind="channels" /> : <AdminsOnlyPage />;
}
