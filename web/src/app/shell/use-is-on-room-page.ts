import { useMatchRoute } from '@tanstack/react-router';

/**
 * Whether a room's page or the board is shown, or about to be. Asks the router, which ignores an address's case and the
 * slash at its end.
 */
export function useIsOnRoomPage(): boolean {
  const matchRoute = useMatchRoute();
  return (['/groupCallView/$roomId', '/board'] as const).some(
    (to) => matchRoute({ to }) !== false || matchRoute({ to, pending: true }) !== false,
  );
}
