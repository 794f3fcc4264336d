import { createContext, type ReactNode, use } from 'react';
import type { EnteredRooms } from './entered-rooms.ts';

const EnteredRoomsContext = createContext<EnteredRooms | null>(null);

/** Provides the rooms that the signed-in user is in. */
export function EnteredRoomsProvider({ enteredRooms, children }: { enteredRooms: EnteredRooms; children: ReactNode }) {
  return <EnteredRoomsContext value={enteredRooms}>{children}</EnteredRoomsContext>;
}

export function useEnteredRooms(): EnteredRooms {
  const enteredRooms = use(EnteredRoomsContext);
  if (enteredRooms === null) throw new Error('No EnteredRoomsProvider above.');
  return enteredRooms;
}
