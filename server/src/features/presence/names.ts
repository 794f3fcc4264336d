import type { ParticipantId, UserId } from '@pressel/contract/ids';
import type { Participant } from '@pressel/contract/presence';
import { audience, type Socket, type Sockets, type Stay } from '#src/platform/sockets.ts';
import type { PhotoPaths } from '#src/shared/photo-paths.ts';
import { displayName, fullName } from '#src/shared/present-user.ts';

/** The columns of an account that say what its owner is called. */
export interface Names {
  id: string;
  firstName: string;
  lastName: string;
  pseudo: string;
  role: 'admin' | 'member';
  photoId: string | null;
  /** Grows with each change of the account: names of an older one change nothing. */
  version: number;
}

export interface NamesDeps {
  sockets: Sockets;
  listNames(userIds: readonly string[]): Promise<Names[]>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  floor: { rename(userId: UserId, name: string): Promise<void> };
}

/** After accounts changed: their live sockets, the floor and those who share a room with them learn the names (PRES15). */
export function createRenaming({
  sockets,
  listNames,
  photos,
  floor,
}: NamesDeps): (userIds: readonly UserId[]) => Promise<void> {
  const socketsOf = (userIds: ReadonlySet<string>) =>
    [...sockets.all()].filter(({ data }) => userIds.has(data.session.userId));

  function tellRoom(socket: Socket, { role }: Names): void {
    const { channel } = socket.data;
    if (channel === null) return;
    tellOfParticipant(sockets, channel.id, 'participant_changed', { ...participantAs(socket, photos), role });
  }

  return async (userIds) => {
    const here = new Set(socketsOf(new Set(userIds)).map(({ data }) => data.session.userId));
    if (here.size === 0) return;
    for (const row of await listNames([...here])) {
      let isNews = false;
      for (const socket of socketsOf(new Set([row.id]))) {
        const before = socket.data.session;
        if (!learnNames(socket, row)) continue;
        const now = socket.data.session;
        const isRenamed = now.displayName !== before.displayName;
        isNews ||= isRenamed;
        const isOfOtherName = now.fullName !== before.fullName;
        if (isRenamed || isOfOtherName || row.photoId !== (before.photoId ?? null)) tellRoom(socket, row);
      }
      if (isNews) await floor.rename(row.id as UserId, displayName(row));
    }
  };
}

/** Tells everyone in a room of one who is there, except sockets of `exceptIds`. */
export function tellOfParticipant(
  sockets: Pick<Sockets, 'to'>,
  channelId: string,
  event: 'user joined' | 'participant_changed',
  participant: Participant,
  exceptIds: readonly string[] = [],
): void {
  sockets.to(audience.inRoom(channelId)).except(exceptIds).emit(event, participant);
  sockets.to(audience.guestsIn(channelId)).except(exceptIds).emit(event, asGuestsSee(participant));
}

/** A participant as guests are told of them: without their photo and the name behind a pseudo (GUEST7). */
export const asGuestsSee = ({ photo_url: _photo, fullName: _name, ...participant }: Participant): Participant =>
  participant;

/** A socket in a room as the others there see it. */
export function participantAs(
  { id, data: { session, channel } }: Socket,
  photos: Pick<PhotoPaths, 'urlOf'>,
): Participant {
  return {
    id: id as ParticipantId,
    userId: session.userId,
    name: session.displayName,
    ...nameBehind(session.fullName, session.displayName),
    // A guest has the floor's priority of a member.
    role: session.role === 'guest' ? 'member' : session.role,
    ...photoOf(session.photoId ?? null, photos),
    ...(channel?.video == null ? {} : { video: channel.video }),
    ...silenceOf(channel),
    ...(session.guest === undefined ? {} : { guest: { name: session.guest.name, link: session.guest.linkName } }),
  };
}

/** Left out where it is shown already: a room has hundreds of participants. */
export const nameBehind = (full: string | undefined, shown: string): Pick<Participant, 'fullName'> =>
  full === undefined || full === '' || full === shown ? {} : { fullName: full };

/** Left out where there is none: a room has hundreds of participants. */
export function photoOf(photoId: string | null, photos: Pick<PhotoPaths, 'urlOf'>): Pick<Participant, 'photo_url'> {
  const path = photos.urlOf(photoId);
  return path === null ? {} : { photo_url: path };
}

/** Left out for who is heard of, and for who never beats. */
export const silenceOf = (stay: Stay | null): Pick<Participant, 'silent'> =>
  stay?.isSilent === true ? { silent: true } : {};

/** @returns whether these names are newer than those known */
export function learnNames({ data }: Socket, { version, photoId, ...names }: Omit<Names, 'id' | 'role'>): boolean {
  if (version <= data.namesVersion) return false;
  data.namesVersion = version;
  const { firstName } = names;
  data.session = {
    ...data.session,
    ...{ firstName, displayName: displayName(names), photoId },
    ...(data.session.guest === undefined && { fullName: fullName(names) }),
  };
  return true;
}
