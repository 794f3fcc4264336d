import { z } from './zod.ts';

export const userId = z.uuid().toLowerCase().brand<'UserId'>().meta({
  description:
    "A user's id (UUID v7, made by the server). Ids are compared as text, so upper case, which RFC 9562 §4 treats as equal, is converted to lower case.",
});
export type UserId = z.infer<typeof userId>;

export const channelId = z
  .uuid()
  .toLowerCase()
  .brand<'ChannelId'>()
  .meta({ description: "A channel's id (UUID v7, made by the server)." });
export type ChannelId = z.infer<typeof channelId>;

export const participantId = z.string().min(1).max(64).brand<'ParticipantId'>().meta({
  description: 'A participant of a room: the id of one live socket. A user with two tabs is two participants.',
});
export type ParticipantId = z.infer<typeof participantId>;
