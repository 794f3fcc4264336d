import { CHANNEL_COLUMNS } from '@pressel/contract/channels';
import { getRouteApi } from '@tanstack/react-router';
import { isStep, type PageView, searchAfter, USER_SORTS, useRememberedSize, viewOf } from './list-address.ts';
import { usePreloadRoom } from './preload-room.ts';
import { DashboardScreen } from './screens/dashboard-screen.tsx';

const dashboardRoute = getRouteApi('/console/dashboard');

export function DashboardRoute() {
  usePreloadRoom();
  const search = dashboardRoute.useSearch();
  const navigate = dashboardRoute.useNavigate();
  const sizes = { users: useRememberedSize('dashboardUsers'), channels: useRememberedSize('dashboardChannels') };
  /** Each list has its own part of the address. */
  const changer = (list: 'users' | 'channels') => (change: Partial<PageView<string>>, isSilent?: boolean) => {
    sizes[list].remember(change);
    void navigate({
      search: (known) => ({ ...known, [list]: searchAfter(known[list] ?? {}, change) }),
      replace: isSilent === true || !isStep(change),
    });
  };
  return (
    <DashboardScreen
      users={viewOf(search.users ?? {}, USER_SORTS, sizes.users.size)}
      onUsers={changer('users')}
      channels={viewOf(search.channels ?? {}, CHANNEL_COLUMNS, sizes.channels.size)}
      onChannels={changer('channels')}
    />
  );
}
