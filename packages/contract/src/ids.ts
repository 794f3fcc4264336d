import { z } from './zod.ts';

/**
 * A user's id (UUID v7, made by the server). Ids are compared as text, so upper case, which RFC 9562 §4 treats as
 * equal, is converted to lower case.
 */
export const userId = z.uuid().toLowerCase().brand<'UserId'>();
export type UserId = z.infer<typeof userId>;

/** A channel's id (UUID v7, made by the server). */
export const channelId = z.uuid().toLowerCase().brand<'ChannelId'>();
export type ChannelId = z.infer<typeof channelId>;

/** A participant of a room: the id of one live socket. A user with two tabs is two participants. */
export const participantId = z.string().min(1).max(64).brand<'ParticipantId'>();
export type ParticipantId = z.infer<typeof participantId>;
