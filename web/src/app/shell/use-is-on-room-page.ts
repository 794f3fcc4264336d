import { useMatchRoute } from '@tanstack/react-router';

/** Whether the room's own page is shown: by the router, which leaves the case of an address and a slash at its end alone. */
export function useIsOnRoomPage(): boolean {
  const matchRoute = useMatchRoute();
  return matchRoute({ to: '/groupCallView/$roomId' }) !== false;
}
