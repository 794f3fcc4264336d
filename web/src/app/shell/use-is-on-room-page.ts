import { useMatchRoute } from '@tanstack/react-router';

/**
 * Whether the page of one room or of several is shown, or about to be: by the router, which leaves the case of an address and a slash at its
 * end alone.
 */
export function useIsOnRoomPage(): boolean {
  const matchRoute = useMatchRoute();
  return (['/groupCallView/$roomId', '/board'] as const).some(
    (to) => matchRoute({ to }) !== false || matchRoute({ to, pending: true }) !== false,
  );
}
