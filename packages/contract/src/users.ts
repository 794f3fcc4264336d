import * as z from 'zod';
import { defineCall } from './call.ts';
import { channelId, participantId, userId } from './ids.ts';
import {
  LOGIN_MAX_LENGTH,
  LOGIN_MIN_LENGTH,
  NAME_MAX_LENGTH,
  PASSWORD_MAX_LENGTH,
  PHONE_MAX_LENGTH,
} from './limits.ts';
import { instant, plainText, requiredText } from './text.ts';

/** Two roles, enforced on the server for every call, event and file. */
export const role = z.enum(['admin', 'member']);
export type Role = z.infer<typeof role>;

/** A login: an e-mail address of 2 to 50 characters (spec §5). Kept as typed; compared without regard to case. */
export const login = z.string().trim().min(LOGIN_MIN_LENGTH).max(LOGIN_MAX_LENGTH).pipe(z.email());

/** A password as typed: never trimmed, never normalised. An empty one is malformed. */
export const password = z.string().min(1).max(PASSWORD_MAX_LENGTH);

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

export const getUserById = defineCall({
  method: 'POST',
  path: '/user/api/getUserById/',
  access: 'member',
  summary: 'One user. Members may ask for themselves only.',
  body: z.object({ userId }),
  reply: z.object({ success: z.literal(true), res: user }),
  errors: ['not_found'],
});

export const updateUserData = defineCall({
  method: 'POST',
  path: '/user/api/updateUserData',
  access: 'member',
  summary:
    "Change an account. The login stays as it is. Members change their own, without role and map right. A new password ends the user's other sessions.",
  body: z.object({
    id: userId,
    firstName: requiredText(NAME_MAX_LENGTH),
    lastName: requiredText(NAME_MAX_LENGTH),
    /** Accepted and ignored: the login cannot be changed. */
    email: z.string().max(320).optional(),
    pseudo: plainText(NAME_MAX_LENGTH).default(''),
    phone_number: plainText(PHONE_MAX_LENGTH).default(''),
    /** Empty or absent keeps the password. */
    password: z.string().max(PASSWORD_MAX_LENGTH).default(''),
    mapRight: z.boolean().optional(),
    role: role.optional(),
  }),
  reply: z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found', 'last_admin', 'password_too_short'],
});

export const updatePasswordUser = defineCall({
  method: 'POST',
  path: '/user/api/updatePasswordUser',
  access: 'member',
  summary: "Set a user's password and end their other sessions. Members set their own only.",
  body: z.object({ id: userId, password }),
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'password_too_short'],
});

export const deleteUser = defineCall({
  method: 'POST',
  path: '/user/api/deleteUser',
  access: 'admin',
  summary:
    'Delete an account: sessions and sockets end at once, activities stay readable. Never the last administrator.',
  body: z.object({ UserId: userId }),
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'last_admin'],
});
