import type { ActivityType } from '@pressel/contract/activity-types';
import type { channelMember, user } from '@pressel/contract/users';
import type * as z from 'zod';

/** The columns of a user that any colleague may see. */
interface PresentablePerson {
  id: string;
  firstName: string;
  lastName: string;
  pseudo: string;
  role: 'admin' | 'member';
}
/** The columns that presenting an account needs. A row of the users table has others, which must not be sent. */
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

type PersonNames = Pick<PresentablePerson, 'pseudo' | 'firstName' | 'lastName'>;

export const fullName = ({ firstName, lastName }: Omit<PersonNames, 'pseudo'>) => `${firstName} ${lastName}`.trim();

/** The pseudo if there is one, else first and last name. */
export const displayName = (names: PersonNames) => (names.pseudo.trim() !== '' ? names.pseudo : fullName(names));

/** Lists the fields one by one, so that a new column is not sent until it is added here. */
const presentPerson = (
  row: PresentablePerson,
  sockets: readonly PresentableSocket[],
  photoUrl: string | null,
  seen: SeenPosition,
): z.input<ReturnType<typeof channelMember>> => ({
  id: row.id,
  firstName: row.firstName,
  lastName: row.lastName,
  pseudo: row.pseudo,
  display_name: displayName(row),
  photo_url: photoUrl,
  role: row.role,
  user_sockets: sockets.map(({ userId, channelId, socketId }) => ({ userId, channelId, socket_id: socketId })),
  ...presentPositions(seen),
});

/** A user's last activity, if any; undefined for viewers who may not know it. */
const presentLatest = (latest: PresentableActivity | null | undefined) =>
  latest === undefined ? {} : { userActivities: presentActivities(latest) };

const presentActivities = (latest: PresentableActivity | null) => (latest === null ? [] : [presentActivity(latest)]);

interface PresentablePosition {
  lat: number;
  lng: number;
  accuracy: number | null;
  recordedAt: Date;
}

export const presentPosition = ({ lat, lng, accuracy, recordedAt }: PresentablePosition, now: Date) => ({
  lat,
  lng,
  accuracy,
  recordedAt: recordedAt.toISOString(),
  ageMs: Math.max(0, now.getTime() - recordedAt.getTime()),
});

/** The latest position, if any; undefined for viewers who may not see it. */
type SeenPosition = { position: PresentablePosition | undefined; now: Date } | undefined;

const presentPositions = (seen: SeenPosition) =>
  seen === undefined
    ? {}
    : { userPositions: seen.position === undefined ? [] : [presentPosition(seen.position, seen.now)] };

interface PresentableActivity {
  id: string;
  type: ActivityType;
  createdAt: Date;
  channelName: string | null;
}

/** Data of a user from other tables. */
export interface AroundUser {
  sockets?: readonly PresentableSocket[] | undefined;
  latest?: PresentableActivity | null;
  /** Sorted by name; undefined leaves them out of the reply. */
  channels?: readonly { id: string; name: string }[] | undefined;
  isMember?: boolean | undefined;
  seen?: SeenPosition;
  photoUrl?: string | null;
}

/** The view of an account for administrators and its owner. */
export const presentUser = (
  row: PresentableUser,
  { sockets = [], latest = null, channels, isMember, seen, photoUrl = null }: AroundUser = {},
): z.input<ReturnType<typeof user>> => ({
  ...presentPerson(row, sockets, photoUrl, seen),
  identifier: row.identifier,
  phone_number: row.phoneNumber,
  mapRight: row.mapRight,
  createdAt: row.createdAt.toISOString(),
  version: row.version,
  userActivities: presentActivities(latest),
  ...(channels === undefined ? {} : { channels: channels.map(({ id, name }) => ({ id, name })) }),
  ...(isMember === undefined ? {} : { isMember }),
});

export const presentActivity = ({ id, type, createdAt, channelName }: PresentableActivity) => ({
  id,
  type,
  createdAt: createdAt.toISOString(),
  channel: channelName === null ? null : { name: channelName },
});

/** The view of a member for members of the channel `seenFrom`; it does not reveal rooms of other channels. */
export const presentMember = (
  row: PresentablePerson,
  sockets: readonly PresentableSocket[],
  seenFrom: string,
  photoUrl: string | null,
  seen?: SeenPosition,
  latest?: PresentableActivity | null,
) => ({
  ...presentPerson(
    row,
    sockets.map((socket) => (socket.channelId === seenFrom ? socket : { ...socket, channelId: null })),
    photoUrl,
    seen,
  ),
  ...presentLatest(latest),
});
