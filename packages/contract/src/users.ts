import { activityType } from './activity-types.ts';
import { defineCall } from './call.ts';
import { newPassword, role } from './credentials.ts';
import { channelId, participantId, userId } from './ids.ts';
import {
  BODY_MAX_BYTES,
  BULK_MAX,
  IMAGE_MAX_BYTES,
  IMAGE_TYPES,
  LATEST_ACTIVITIES_MAX,
  MEMBERSHIPS_MAX,
  NAME_MAX_LENGTH,
  PHONE_MAX_LENGTH,
} from './limits.ts';
import { listQuery, totalRecords } from './list.ts';
import { instant, plainText, requiredText } from './text.ts';
import { onDemand, z } from './zod.ts';

// Specification §3.
export const userSocket = onDemand(() =>
  z
    .object({
      userId,
      channelId: channelId.nullable(),
      socket_id: participantId,
    })
    .meta({ description: 'One live socket of a user; `channelId` is the room it is in, null when in none.' }),
);
export type UserSocket = z.infer<ReturnType<typeof userSocket>>;

// Specification §3.
export const userPosition = onDemand(() =>
  z
    .object({
      lat: z.number(),
      lng: z.number(),
      accuracy: z.number().nullable().meta({ description: 'Radius in metres; null when the device did not say.' }),
      recordedAt: instant,
      ageMs: z.int().min(0).meta({ description: "The position's age when the server sent it, because clocks differ." }),
    })
    .meta({ description: 'The latest position of a user. Degrees are WGS 84.' }),
);
export type UserPosition = z.infer<ReturnType<typeof userPosition>>;

// Specification §3, userActivities.
export const userActivity = onDemand(() =>
  z
    .object({
      id: z.uuid(),
      type: activityType,
      createdAt: instant,
      channel: z.object({ name: z.string() }).nullable(),
    })
    .meta({ description: 'Something that a user did.' }),
);
export type UserActivity = z.infer<ReturnType<typeof userActivity>>;

export const channelMember = onDemand(() =>
  z
    .object({
      id: userId,
      firstName: z.string(),
      lastName: z.string(),
      pseudo: z.string(),
      display_name: z.string(),
      photo_url: z.string().nullable().meta({
        description: 'Signed path of the photo on this server, valid for one to two hours; null without a photo.',
      }),
      role,
      user_sockets: z.array(userSocket()),
      userPositions: z
        .array(userPosition())
        .max(1)
        .optional()
        .meta({ description: 'The latest position, or empty. Left out for members without the right to the map.' }),
      userActivities: z.array(userActivity()).max(LATEST_ACTIVITIES_MAX).optional().meta({
        description:
          'The latest activity, or empty. Administrators see any activity. Members with the right to the map see what somebody with a position did in the channel that is asked about. Left out for others.',
      }),
    })
    .meta({ description: 'A user as other members of a channel may know them.' }),
);
export type ChannelMember = z.infer<ReturnType<typeof channelMember>>;

export const user = onDemand(() =>
  channelMember()
    .extend({
      identifier: z.string(),
      phone_number: z.string(),
      mapRight: z.boolean(),
      createdAt: instant,
      version: z.int().meta({
        description: 'Incremented by each change of the account. An edit sends it back, to detect a concurrent change.',
      }),
      userActivities: z
        .array(userActivity())
        .max(LATEST_ACTIVITIES_MAX)
        .meta({ description: 'The latest activity, or empty.' }),
      channels: z
        .array(z.object({ id: channelId, name: z.string() }))
        .optional()
        .meta({ description: "The user's channels, by name. Left out of pages of a list." }),
      isMember: z.boolean().optional().meta({
        description: 'Present when the list was queried with `memberOf`: whether the user is a member of that channel.',
      }),
    })
    .meta({ description: 'A user as administrators see them, and as everybody sees themselves.' }),
);
export type User = z.infer<ReturnType<typeof user>>;

/** The columns by which lists of users can be sorted. */
export const USER_COLUMNS = [
  'firstName',
  'lastName',
  'login',
  'pseudo',
  'mapRight',
  'createdAt',
  'lastActivity',
  'state',
] as const;
const usersQuery = onDemand(() =>
  listQuery(USER_COLUMNS).extend({
    activityTypes: z
      .array(z.enum([...activityType.options, 'none']))
      .max(activityType.options.length + 1)
      .optional()
      .meta({
        description:
          "For filters of lists that show the last activity: the types whose sentence, in the reader's words, contains the filter. 'none' stands for the sentence about users without any activity. The filter then finds the activity's channel and moment too.",
      }),
    states: z
      .array(z.enum(['online', 'offline']))
      .max(2)
      .optional()
      .meta({
        description: 'For filters of lists that show who is online: the states whose word contains the filter.',
      }),
  }),
);

export const getAllUsers = defineCall({
  method: 'POST',
  path: '/user/api/getAllUsers',
  access: 'admin',
  summary: 'Users, by last name then first name unless told otherwise; all of them with an empty payload.',
  body: () =>
    usersQuery().extend({
      ids: z.array(userId).max(BULK_MAX).optional().meta({ description: 'Restricts the list to these users.' }),
      memberOf: channelId.optional().meta({ description: 'Adds `isMember` for this channel to each row.' }),
      onlyMembers: z
        .boolean()
        .default(false)
        .meta({ description: 'With `memberOf`: lists only the members of that channel.' }),
      membersFirst: z.boolean().default(false).meta({
        description: 'With `memberOf`: its members come before the others, each part in the order asked for.',
      }),
    }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.array(user()),
      totalRecords,
      connected: z.int().meta({ description: 'How many distinct users are in a room now, whatever the filter.' }),
    }),
  errors: [],
  cost: 2,
  work: 'heavy',
});

export const getUserIds = defineCall({
  method: 'POST',
  path: '/user/api/getUserIds',
  access: 'admin',
  summary: 'The ids of all users that a filter finds: to act on what several pages show.',
  body: () => usersQuery().pick({ filter: true, language: true, timeZone: true, activityTypes: true, states: true }),
  reply: () => z.object({ success: z.literal(true), res: z.array(userId) }),
  errors: [],
  cost: 5,
  work: 'heavy',
});

export const getUserById = defineCall({
  method: 'POST',
  path: '/user/api/getUserById/',
  access: 'member',
  summary: 'One user. Members may ask for themselves only.',
  body: () => z.object({ userId }),
  reply: () => z.object({ success: z.literal(true), res: user() }),
  errors: ['not_found'],
});

export const updateUserData = defineCall({
  method: 'POST',
  path: '/user/api/updateUserData',
  access: 'member',
  summary:
    "Change an account. The login stays as it is. Members change their own, without role and map right. A new password ends the user's other sessions. Somebody else's account, any password and any role ask for a fresh verifyPassword.",
  body: () =>
    z.object({
      id: userId,
      firstName: requiredText(NAME_MAX_LENGTH),
      lastName: requiredText(NAME_MAX_LENGTH),
      email: z.string().max(320).optional().meta({ description: 'Accepted and ignored: the login cannot be changed.' }),
      pseudo: plainText(NAME_MAX_LENGTH).default(''),
      phone_number: plainText(PHONE_MAX_LENGTH).default(''),
      password: z.literal('').or(newPassword).default('').meta({ description: 'Empty or absent keeps the password.' }),
      mapRight: z.boolean().optional(),
      role: role.optional(),
      version: z.int().optional().meta({
        description:
          'The version that the edit is based on. If the stored one differs, the edit is refused with `conflict`.',
      }),
      addChannels: z.array(channelId).max(MEMBERSHIPS_MAX).default([]).meta({
        description:
          'Channels to add the user to and to remove them from, in the same transaction. Administrators only.',
      }),
      removeChannels: z.array(channelId).max(MEMBERSHIPS_MAX).default([]),
    }),
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['verification_required', 'not_found', 'last_admin', 'password_too_short', 'conflict'],
  maxBytes: BODY_MAX_BYTES,
  work: 'long',
});

export const updatePasswordUser = defineCall({
  method: 'POST',
  path: '/user/api/updatePasswordUser',
  access: 'member',
  summary:
    "Set a user's password and end their other sessions. Members set their own only. Asks for a fresh verifyPassword.",
  body: () => z.object({ id: userId, password: newPassword }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: ['verification_required', 'not_found', 'password_too_short'],
  cost: 10,
  work: 'long',
});

export const deleteUser = defineCall({
  method: 'POST',
  path: '/user/api/deleteUser',
  access: 'admin',
  summary:
    'Delete an account: sessions and sockets end at once, activities stay readable. Never the last administrator.',
  body: () => z.object({ UserId: userId }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: ['not_found', 'last_admin'],
});

export const userChange = onDemand(() =>
  z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('addToChannels'), channelIds: z.array(channelId).min(1).max(1_000) }),
      z.object({ type: z.literal('removeFromChannels'), channelIds: z.array(channelId).min(1).max(1_000) }),
      z.object({ type: z.literal('setMapRight'), mapRight: z.boolean() }),
      z.object({ type: z.literal('delete') }),
    ])
    .meta({ description: 'A change that is applied to several users.' }),
);
export type UserChange = z.infer<ReturnType<typeof userChange>>;

export const changeUsers = defineCall({
  method: 'POST',
  path: '/user/api/changeUsers',
  access: 'admin',
  summary:
    'Make one change to several users, in one transaction. Users that it cannot be made to are left out and named. An unknown channel refuses all of it.',
  body: () => z.object({ userIds: z.array(userId).min(1).max(BULK_MAX), change: userChange() }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z
        .array(z.object({ userId, outcome: z.enum(['done', 'not_found', 'last_admin']) }))
        .meta({ description: 'One entry per user, in the order of the payload.' }),
    }),
  errors: ['not_found'],
  cost: 5,
  maxBytes: BODY_MAX_BYTES,
  work: 'long',
});

/**
 * An image of IMAGE_TYPES as a data URL (RFC 2397). Checks the prefix only, because scanning a million characters would
 * block the event loop: the size is limited by the call's body, the type is detected from the bytes.
 */
const IMAGE_DATA = new RegExp(`^data:(?:${IMAGE_TYPES.join('|')});base64,`, 'u');

export const photoData = onDemand(() =>
  z
    .union([z.literal(''), z.string().regex(IMAGE_DATA)])
    .meta({ description: 'An image as a data URL; empty removes the photo.' }),
);

export const uploadUserPhoto = defineCall({
  method: 'POST',
  path: '/user/api/uploadUserPhoto',
  access: 'member',
  summary:
    "Set or remove a user's photo: a JPEG, PNG, BMP, GIF or WebP. Its middle is stored as a small square, without metadata. Members set their own only; somebody else's asks for a fresh verifyPassword.",
  body: () => z.object({ userId, photo_url: photoData() }),
  reply: () => z.object({ success: z.literal(true), photo_url: z.string().nullable() }),
  errors: ['verification_required', 'not_found', 'wrong_type', 'too_large', 'unavailable'],
  cost: 5,
  maxBytes: Math.ceil(IMAGE_MAX_BYTES / 3) * 4 + 1_024,
  work: 'long',
});
