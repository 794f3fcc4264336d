import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { Participant, RoomParticipant } from '@pressel/contract/presence';
import { displayName, fullName } from '#src/accounts/present-user.ts';
import type { PhotoPaths } from '#src/http/signed-paths.ts';
import { audience, type EnteredRoom, type LiveParticipant, type Sockets } from '#src/sockets/sockets.ts';

/** The columns of an account that say what its owner is called. */
export interface Names {
  id: string;
  firstName: string;
  lastName: string;
  pseudo: string;
  role: 'admin' | 'member';
  photoId: string | null;
  /** Grows with each change of the account. Names of an older version are ignored. */
  version: number;
}

export interface NamesDeps {
  sockets: Sockets;
  listNames(userIds: readonly string[]): Promise<Names[]>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  floor: { rename(userId: UserId, name: string): Promise<void> };
}

/** Tells the names after accounts changed: to their live sockets, the floor and participants who share a room with them (PRES15). */
export function createRenaming({
  sockets,
  listNames,
  photos,
  floor,
}: NamesDeps): (userIds: readonly UserId[]) => Promise<void> {
  const participantsOf = (userIds: ReadonlySet<string>) =>
    [...sockets.participants.all()].filter(({ session }) => userIds.has(session.userId));

  function tellRooms(participant: LiveParticipant, { role }: Names): void {
    for (const enteredRoom of participant.enteredRooms.values()) {
      tellOfParticipant(sockets, 'participant_changed', { ...participantAs(participant, enteredRoom, photos), role });
    }
  }

  return async (userIds) => {
    const here = new Set(participantsOf(new Set(userIds)).map(({ session }) => session.userId));
    if (here.size === 0) return;
    for (const row of await listNames([...here])) {
      let isNews = false;
      for (const participant of participantsOf(new Set([row.id]))) {
        const before = participant.session;
        if (!learnNames(participant, row)) continue;
        const now = participant.session;
        const isRenamed = now.displayName !== before.displayName;
        isNews ||= isRenamed;
        const isOfOtherName = now.fullName !== before.fullName;
        if (isRenamed || isOfOtherName || row.photoId !== (before.photoId ?? null)) tellRooms(participant, row);
      }
      if (isNews) await floor.rename(row.id as UserId, displayName(row));
    }
  };
}

/** Tells everyone in a room of a participant there, except sockets of `exceptIds`. */
export function tellOfParticipant(
  sockets: Pick<Sockets, 'to'>,
  event: 'user joined' | 'participant_changed',
  participant: RoomParticipant,
  exceptIds: readonly ParticipantId[] = [],
): void {
  const { channelId } = participant;
  const except = exceptIds.map((id) => audience.participant(channelId, id));
  sockets.to(audience.inRoom(channelId)).except(except).emit(event, participant);
  sockets
    .to(audience.guestsIn(channelId))
    .except(except)
    .emit(event, { ...asGuestsSee(participant), channelId });
}

/** A participant as guests are told of them: without their photo and the name behind a pseudo (GUEST7). */
export const asGuestsSee = ({ photo_url: _photo, fullName: _name, ...participant }: Participant): Participant =>
  participant;

/** A participant in a room as the others there see it. */
export function participantAs(
  participant: LiveParticipant,
  enteredRoom: EnteredRoom,
  photos: Pick<PhotoPaths, 'urlOf'>,
): RoomParticipant {
  const { id, session } = participant;
  return {
    id,
    channelId: enteredRoom.id,
    userId: session.userId,
    name: session.displayName,
    ...nameBehind(session.fullName, session.displayName),
    // For the floor, a guest has the priority of a member.
    role: session.role === 'guest' ? 'member' : session.role,
    ...photoOf(session.photoId ?? null, photos),
    ...(enteredRoom.video === null ? {} : { video: enteredRoom.video }),
    ...silenceOf(participant, enteredRoom.id),
    ...(session.guest === undefined ? {} : { guest: { name: session.guest.name, link: session.guest.linkName } }),
  };
}

/** The full name, left out where it is shown already: a room has hundreds of participants. */
export const nameBehind = (full: string | undefined, shown: string): Pick<Participant, 'fullName'> =>
  full === undefined || full === '' || full === shown ? {} : { fullName: full };

/** The photo's path, left out where there is none: a room has hundreds of participants. */
export function photoOf(photoId: string | null, photos: Pick<PhotoPaths, 'urlOf'>): Pick<Participant, 'photo_url'> {
  const path = photos.urlOf(photoId);
  return path === null ? {} : { photo_url: path };
}

/** Whether it is silent; left out for a participant that is heard of, and for one that never beats. */
export const silenceOf = (
  participant: LiveParticipant | null,
  channelId: ChannelId,
  isStoredSilent = false,
): Pick<Participant, 'silent'> => {
  const enteredRoom = participant?.enteredRooms.get(channelId);
  // For a participant of another process, there is only what that process stored.
  const isSilent =
    participant === null
      ? isStoredSilent
      : enteredRoom !== undefined && (enteredRoom.isSilent || participant.socket === null);
  return isSilent ? { silent: true } : {};
};

/** @returns whether these names are newer than those known */
export function learnNames(
  participant: LiveParticipant,
  { version, photoId, ...names }: Omit<Names, 'id' | 'role'>,
): boolean {
  if (version <= participant.namesVersion) return false;
  participant.namesVersion = version;
  const { session } = participant;
  const { firstName } = names;
  participant.session = {
    ...session,
    ...{ firstName, displayName: displayName(names), photoId },
    ...(session.guest === undefined && { fullName: fullName(names) }),
  };
  if (participant.socket !== null) participant.socket.data.session = participant.session;
  return true;
}
