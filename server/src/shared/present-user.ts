import type { UserId } from '@pressel/contract/ids';
import type { ChannelMember, User } from '@pressel/contract/users';
import { channelMember, user } from '@pressel/contract/users';

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

/** Field by field: a new column is not shown to anybody until it is named here. */
export const presentUser = (row: PresentableUser, sockets: readonly PresentableSocket[] = []): User =>
  user.parse({
    id: row.id,
    identifier: row.identifier,
    firstName: row.firstName,
    lastName: row.lastName,
    pseudo: row.pseudo,
    display_name: displayName(row),
    phone_number: row.phoneNumber,
    role: row.role,
    mapRight: row.mapRight,
    createdAt: row.createdAt.toISOString(),
    user_sockets: sockets.map(presentSocket),
  });

/** As members of a channel see each other: of rooms of other channels they learn nothing. */
export const presentMember = (
  row: PresentableUser,
  sockets: readonly PresentableSocket[],
  seenFrom: string,
): ChannelMember => {
  const shown = sockets.map((socket) => (socket.channelId === seenFrom ? socket : { ...socket, channelId: null }));
  return channelMember.parse(presentUser(row, shown));
};

const presentSocket = (socket: PresentableSocket) => ({
  userId: socket.userId as UserId,
  channelId: socket.channelId,
  socket_id: socket.socketId,
});
