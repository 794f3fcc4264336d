import * as z from 'zod';
import { defineCall } from './call.ts';
import { channelId, participantId, userId } from './ids.ts';
import { LOGIN_MAX_LENGTH, LOGIN_MIN_LENGTH } from './limits.ts';
import { instant } from './text.ts';

/** Two roles, enforced on the server for every call, event and file. */
export const role = z.enum(['admin', 'member']);
export type Role = z.infer<typeof role>;

/** A login: an e-mail address of 2 to 50 characters (spec §5). Kept as typed; compared without regard to case. */
export const login = z.string().trim().min(LOGIN_MIN_LENGTH).max(LOGIN_MAX_LENGTH).pipe(z.email());

/** One live socket of a user; `channelId` is the room it is in, null when in none (spec §3). */
export const userSocket = z.object({
  userId,
  channelId: channelId.nullable(),
  socket_id: participantId,
});
export type UserSocket = z.infer<typeof userSocket>;

/** What members of a channel may know of each other. */
export const channelMember = z.object({
  id: userId,
  firstName: z.string(),
  lastName: z.string(),
  pseudo: z.string(),
  display_name: z.string(),
  role,
  user_sockets: z.array(userSocket),
});
export type ChannelMember = z.infer<typeof channelMember>;

/** What an administrator sees of a user. */
export const user = channelMember.extend({
  identifier: z.string(),
  phone_number: z.string(),
  mapRight: z.boolean(),
  createdAt: instant,
});
export type User = z.infer<typeof user>;

export const getAllUsers = defineCall({
  method: 'POST',
  path: '/user/api/getAllUsers',
  access: 'admin',
  summary: 'Every user, by last name then first name.',
  body: z.object({}),
  reply: z.object({ success: z.literal(true), res: z.array(user) }),
  errors: [],
});
