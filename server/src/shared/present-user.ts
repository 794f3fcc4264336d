import type { channelMember, user } from '@pressel/contract/users';
import type * as z from 'zod';

/** The columns that presenting a user takes: a row of the users table has them, and more that must not leave. */
export interface PresentableUser {
  id: string;
  identifier: string;
  firstName: string;
  lastName: string;
  pseudo: string;
  phoneNumber: string;
  role: 'admin' | 'member';
  mapRight: boolean;
  createdAt: Date;
  version: number;
}
interface PresentableSocket {
  userId: string;
  channelId: string | null;
  socketId: string;
}

/** What others see: the pseudo when there is one, else first and last name. */
export const displayName = ({
  pseudo,
  firstName,
  lastName,
}: Pick<PresentableUser, 'pseudo' | 'firstName' | 'lastName'>) =>
  pseudo.trim() !== '' ? pseudo : `${firstName} ${lastName}`.trim();

/** Field by field: a new column is not shown to anybody until it is named here. The contract's reply checks it. */
const presentPerson = (row: PresentableUser, sockets: readonly PresentableSocket[]): z.input<typeof channelMember> => ({
  id: row.id,
  firstName: row.firstName,
  lastName: row.lastName,
  pseudo: row.pseudo,
  display_name: displayName(row),
  role: row.role,
  user_sockets: sockets.map(({ userId, channelId, socketId }) => ({ userId, channelId, socket_id: socketId })),
});

/** As administrators see an account, and its owner. */
export const presentUser = (
  row: PresentableUser,
  sockets: readonly PresentableSocket[] = [],
): z.input<typeof user> => ({
  ...presentPerson(row, sockets),
  identifier: row.identifier,
  phone_number: row.phoneNumber,
  mapRight: row.mapRight,
  createdAt: row.createdAt.toISOString(),
  version: row.version,
  photo_url: null,
  userActivities: [],
});

/** As members of a channel see each other: of rooms of other channels they learn nothing. */
export const presentMember = (row: PresentableUser, sockets: readonly PresentableSocket[], seenFrom: string) =>
  presentPerson(
    row,
    sockets.map((socket) => (socket.channelId === seenFrom ? socket : { ...socket, channelId: null })),
  );
