import type { ActivityType } from '@pressel/contract/activities';
import type { channelMember, user } from '@pressel/contract/users';
import type * as z from 'zod';

/** What everybody may see of a user. */
interface PresentablePerson {
  id: string;
  firstName: string;
  lastName: string;
  pseudo: string;
  role: 'admin' | 'member';
}
/** The columns that presenting a user takes: a row of the users table has them, and more that must not leave. */
export interface PresentableUser extends PresentablePerson {
  identifier: string;
  phoneNumber: string;
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
}: Pick<PresentablePerson, 'pseudo' | 'firstName' | 'lastName'>) =>
  pseudo.trim() !== '' ? pseudo : `${firstName} ${lastName}`.trim();

/** Field by field: a new column is not shown to anybody until it is named here. The contract's reply checks it. */
const presentPerson = (
  row: PresentablePerson,
  sockets: readonly PresentableSocket[],
): z.input<typeof channelMember> => ({
  id: row.id,
  firstName: row.firstName,
  lastName: row.lastName,
  pseudo: row.pseudo,
  display_name: displayName(row),
  role: row.role,
  user_sockets: sockets.map(({ userId, channelId, socketId }) => ({ userId, channelId, socket_id: socketId })),
});

/** What belongs to a user and stands in other tables. */
export interface AroundUser {
  sockets?: readonly PresentableSocket[] | undefined;
  latest?: { id: string; type: string; createdAt: Date; channelName: string | null } | null;
  /** By name; left out when the caller wants none. */
  channels?: readonly { id: string; name: string }[] | undefined;
  isMember?: boolean | undefined;
  photoUrl?: string | null;
}

/** As administrators see an account, and its owner. */
export const presentUser = (
  row: PresentableUser,
  { sockets = [], latest = null, channels, isMember, photoUrl = null }: AroundUser = {},
): z.input<typeof user> => ({
  ...presentPerson(row, sockets),
  identifier: row.identifier,
  phone_number: row.phoneNumber,
  mapRight: row.mapRight,
  createdAt: row.createdAt.toISOString(),
  version: row.version,
  photo_url: photoUrl,
  userActivities: latest === null ? [] : [presentActivity(latest)],
  ...(channels === undefined ? {} : { channels: channels.map(({ id, name }) => ({ id, name })) }),
  ...(isMember === undefined ? {} : { isMember }),
});

const presentActivity = ({ id, type, createdAt, channelName }: NonNullable<AroundUser['latest']>) => ({
  id,
  // The column is text, so that an older program can read what a newer one stored; the reply is checked.
  type: type as ActivityType,
  createdAt: createdAt.toISOString(),
  channel: channelName === null ? null : { name: channelName },
});

/** As members of a channel see each other: of rooms of other channels they learn nothing. */
export const presentMember = (row: PresentablePerson, sockets: readonly PresentableSocket[], seenFrom: string) =>
  presentPerson(
    row,
    sockets.map((socket) => (socket.channelId === seenFrom ? socket : { ...socket, channelId: null })),
  );
