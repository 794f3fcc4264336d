import { useMatchRoute } from '@tanstack/react-router';

/** Whether the page of one room or of several is shown: by the router, which leaves the case of an address and a slash at its end alone. */
export function useIsOnRoomPage(): boolean {
  const matchRoute = useMatchRoute();
  return matchRoute({ to: '/groupCallView/$roomId' }) !== false || matchRoute({ to: '/board' }) !== false;
}
