import type { Role } from '@pressel/contract/credentials';
import type { UserId } from '@pressel/contract/ids';
import type { Session } from './session.ts';

/** Administrators go before members, and take the floor from them (TALK2). */
export const priorityOf = ({ role }: Pick<Session, 'role'>): number => (role === 'admin' ? 1 : 0);

/** An account may be read and changed by its owner and by administrators. */
export const mayUseAccount = (session: Session, userId: UserId): boolean =>
  session.role === 'admin' || session.userId === userId;

/** The role, map right and channels of an account may be changed by administrators only. */
export const mayChangeRights = (session: Session): boolean => session.role === 'admin';

/** Administrators are in rooms, and hear of all users and channels, without being a member (PRES20). */
export const needsMembership = ({ role }: Pick<Session, 'role'>): boolean => role !== 'admin';

/** Administrators see the map of every channel, and what its members did, whatever their own right to it says (POS1). */
export const seesEveryMap = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';

/** Administrators, and members with the right to the map, may see positions of others (POS1). */
export const maySeePositions = ({ role, mapRight }: Pick<Session, 'role' | 'mapRight'>): boolean =>
  role === 'admin' || mapRight;

/** A device is shown to its owner and to administrators (RING11). */
export const seesEveryDevice = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';

/** A guest link opens a room as long as its maker is an administrator (GUEST5). */
export const mayHaveLinks = (maker: { role: 'admin' | 'member' }): boolean => maker.role === 'admin';

/** Administrators see the figures of the whole team; members those of their own channels. */
export const seesTeam = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';

/** Administrators read and write in every channel; members only in their own. */
export const mayReadAnyChannel = (session: Session): boolean => session.role === 'admin';

/** Users may delete their own messages; administrators may delete any. */
export const mayDeleteMessage = (session: Session, message: { userId: string }): boolean =>
  session.role === 'admin' || message.userId === session.userId;

/** Administrators see, enter and hear every channel; members only their own. */
export const mayEnterAnyChannel = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';

/** Administrators are told what happened last in a channel, and what its members did last anywhere (LOG20). */
export const seesAllActivities = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';

/** Users who share a channel may call each other; administrators may call, and be called by, everybody (RING1). */
export const mayCall = (caller: Role | 'guest', callee: { role: Role; sharesChannel: boolean }): boolean =>
  callee.sharesChannel || caller === 'admin' || callee.role === 'admin';

/** The user and administrators may end all sessions of the user. */
export const mayEndSessionsOf = (session: Session, userId: UserId): boolean =>
  session.role === 'admin' || session.userId === userId;

/** Administrators make accounts for others; everybody else who signs up makes their own. */
export const makesOthersAccounts = (creator: Session | null): boolean => creator?.role === 'admin';

/** Only administrators hear that the log has grown, because only they may read it. */
export const hearsOfLog = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
