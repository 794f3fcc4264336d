import { defineCall } from './call.ts';
import { channelId, participantId, userId } from './ids.ts';
import {
  BODY_MAX_BYTES,
  BULK_MAX,
  CHANNEL_NAME_MAX_LENGTH,
  LATEST_ACTIVITIES_MAX,
  LIST_FIRST_MAX,
  MEMBERS_NAMED_MAX,
  MEMBERSHIPS_MAX,
} from './limits.ts';
import { listQuery, totalRecords } from './list.ts';
import { instant, requiredText, roomKey } from './text.ts';
import { channelMember, userActivity } from './users.ts';
import { onDemand, z } from './zod.ts';

export const talkMode = z
  .enum(['single', 'open'])
  .meta({ description: '`single`: one talker at a time, arbitrated by the server. `open`: whoever presses is heard.' });
export type TalkMode = z.infer<typeof talkMode>;

/** Browsers resolve these path segments in URLs, so such a room could not be reached. */
const UNREACHABLE_KEYS = ['.', '..'];
export const isReservedKey = (key: string): boolean => UNREACHABLE_KEYS.includes(key);

export const channelName = onDemand(() =>
  requiredText(CHANNEL_NAME_MAX_LENGTH)
    .refine((name) => roomKey(name) !== '', { message: 'required' })
    .refine((name) => !isReservedKey(roomKey(name)), { message: 'reserved' }),
);

const channelActivity = onDemand(() =>
  userActivity()
    .extend({
      user: z.object({ firstName: z.string(), display_name: z.string() }).nullable(),
    })
    .meta({
      description:
        'Something that happened in a channel, or to it, with the user or guest who did it; null: the server did it.',
    }),
);

const lastTalk = onDemand(() =>
  z
    .object({
      name: z.string().meta({ description: "The talker's name at that time." }),
      endedAt: instant,
    })
    .meta({ description: 'The newest ended talk of a channel.' }),
);

// Specification §3.
export const channel = onDemand(() =>
  z
    .object({
      id: channelId,
      name: z.string(),
      rtcSession: z.string(),
      talkMode,
      createdAt: instant,
      version: z.int().meta({
        description:
          'Incremented by each change of name or talk mode. An edit sends it back, to detect a concurrent change.',
      }),
      users: z
        .array(z.object({ id: userId }))
        .optional()
        .meta({ description: "The members' ids, in no particular order. Left out of pages of a list." }),
      userCount: z.int().meta({ description: 'How many members it has.' }),
      userActivities: z
        .array(channelActivity())
        .max(LATEST_ACTIVITIES_MAX)
        .optional()
        .meta({ description: 'The latest activity in the channel, or empty. For administrators only.' }),
      connected: z.int().meta({
        description: 'How many distinct users are in the room now, including administrators who are not members.',
      }),
      talkers: z.array(z.object({ userId, name: z.string() })).meta({
        description:
          'The talkers of the room now, guests too, in the order in which they began. `talkers_changed` and `floor_changed` report later changes.',
      }),
      lastTalk: lastTalk().nullable().optional().meta({
        description:
          'Null if no talk is among the newest entries about the channel. Left out if all channels are asked for at once.',
      }),
      lastActivityAt: instant
        .nullable()
        .meta({ description: "The time of the channel's latest activity, by the activity log; null if it has none." }),
    })
    .meta({ description: "A channel as lists show it. `rtcSession` is the room's key in addresses." }),
);
export type Channel = z.infer<ReturnType<typeof channel>>;

const byChannelAndUser = onDemand(() => z.object({ userId, channelId }));

const namedChannelReply = onDemand(() =>
  z
    .object({
      success: z.literal(true),
      result: z.string(),
      res: z.object({ id: channelId, rtcSession: z.string() }),
    })
    .meta({ description: 'The id and room key of a channel that was created or renamed.' }),
);

/** The columns by which lists of channels can be sorted. */
export const CHANNEL_COLUMNS = ['name', 'users', 'talkMode', 'createdAt'] as const;

export const getAllChannels = defineCall({
  method: 'POST',
  path: '/user/api/getAllChannels',
  access: 'member',
  summary:
    'Channels, by name unless told otherwise; all of them with their members with an empty payload. A member gets the channels they belong to.',
  body: () =>
    listQuery(CHANNEL_COLUMNS).extend({
      ids: z
        .array(channelId)
        .max(BULK_MAX)
        .optional()
        .meta({ description: 'Restricts the list to these channels, as far as the caller may see them.' }),
      first: z
        .array(channelId)
        .max(LIST_FIRST_MAX)
        .optional()
        .meta({ description: 'These channels come before the others, each part in the order that was asked for.' }),
    }),
  reply: () => z.object({ success: z.literal(true), res: z.array(channel()), totalRecords }),
  errors: [],
  cost: 2,
  work: 'heavy',
});

export const getUsersInChannel = defineCall({
  method: 'POST',
  path: '/user/api/getUsersInChannel',
  access: 'member',
  summary:
    'Members of a channel with their live sockets, by first name, last name, then pseudo. For administrators and members of it.',
  body: () =>
    listQuery(['name']).extend({
      channelId,
      onlyConnected: z
        .boolean()
        .default(false)
        .meta({ description: 'Restricts the list to members who are in the room now.' }),
      presentFirst: z
        .boolean()
        .default(false)
        .meta({ description: 'People in the room come first, then those connected elsewhere, each part by name.' }),
      userIds: z.array(userId).max(MEMBERS_NAMED_MAX).optional().meta({
        description:
          'Returns only these users, as far as they are in the list; `totalRecords` is still that of the whole list.',
      }),
    }),
  reply: () => z.object({ success: z.literal(true), res: z.array(channelMember()), totalRecords }),
  errors: ['not_found', 'not_a_member'],
  cost: 2,
  work: 'heavy',
});

export const createChannel = defineCall({
  method: 'POST',
  path: '/user/api/createChannel',
  access: 'admin',
  summary: 'Create a channel. Its room key is always made from its name; channelRtcSession and userId are not trusted.',
  body: () =>
    z.object({
      channelName: channelName(),
      channelRtcSession: z.string().max(1000).optional(),
      userId: userId.optional(),
      talkMode: talkMode.default('single'),
      userList: z
        .array(userId)
        .max(MEMBERSHIPS_MAX)
        .default([])
        .meta({ description: 'The initial members, stored in the same transaction.' }),
    }),
  reply: namedChannelReply,
  errors: ['duplicate_channel', 'not_found'],
  maxBytes: BODY_MAX_BYTES,
});

export const updateChannel = defineCall({
  method: 'POST',
  path: '/user/api/updateChannel',
  access: 'admin',
  summary:
    'Rename a channel, and optionally change its talk mode and set its members to exactly a list, all in one transaction. The room key follows the name; a live room goes on.',
  body: () =>
    z.object({
      channelId,
      channelName: channelName(),
      userId: userId.optional(),
      talkMode: talkMode.optional(),
      userList: z.array(userId).max(MEMBERSHIPS_MAX).optional().meta({ description: 'Replaces all members.' }),
      addUsers: z.array(userId).max(MEMBERSHIPS_MAX).default([]).meta({
        description: 'Alternatively, the members to add and to remove: concurrent changes by others are kept.',
      }),
      removeUsers: z.array(userId).max(MEMBERSHIPS_MAX).default([]),
      version: z.int().optional().meta({
        description:
          'The version that the edit is based on. If the stored one differs, the edit is refused with `conflict`.',
      }),
    }),
  reply: namedChannelReply,
  errors: ['duplicate_channel', 'not_found', 'conflict'],
  maxBytes: BODY_MAX_BYTES,
});

export const deleteChannel = defineCall({
  method: 'POST',
  path: '/user/api/deleteChannel',
  access: 'admin',
  summary: 'Delete a channel and its memberships. Whoever is in its room is told and leaves it; activities stay.',
  body: () => z.object({ channelId, userId: userId.optional() }),
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found'],
});

export const getChannelIds = defineCall({
  method: 'POST',
  path: '/user/api/getChannelIds',
  access: 'admin',
  summary: 'The ids of all channels that a filter finds: to act on what several pages show.',
  body: () => listQuery(CHANNEL_COLUMNS).pick({ filter: true, language: true, timeZone: true }),
  reply: () => z.object({ success: z.literal(true), res: z.array(channelId) }),
  errors: [],
  cost: 2,
  work: 'heavy',
});

export const deleteChannels = defineCall({
  method: 'POST',
  path: '/user/api/deleteChannels',
  access: 'admin',
  summary: 'Delete several channels, in one transaction, each as by deleteChannel. Those that are gone are named.',
  body: () => z.object({ channelIds: z.array(channelId).min(1).max(BULK_MAX) }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z
        .array(z.object({ channelId, outcome: z.enum(['done', 'not_found']) }))
        .meta({ description: 'One entry per channel, in the order of the payload.' }),
    }),
  errors: [],
  cost: 5,
  work: 'long',
});

export const updateUserChannels = defineCall({
  method: 'POST',
  path: '/user/api/updateUserChannels',
  access: 'admin',
  summary: 'Set the members of a channel to exactly this list of users, in one transaction.',
  body: () => z.object({ channelId, userList: z.array(userId).max(MEMBERSHIPS_MAX) }),
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found'],
  maxBytes: BODY_MAX_BYTES,
});

export const updateChannelUsers = defineCall({
  method: 'POST',
  path: '/user/api/updateChannelUsers',
  access: 'admin',
  summary: 'Set the channels of a user to exactly this list of ids, in one transaction.',
  body: () => z.object({ userId, channelList: z.array(channelId).max(MEMBERSHIPS_MAX) }),
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found'],
  maxBytes: BODY_MAX_BYTES,
});

export const updateUserChannelsByChannelName = defineCall({
  method: 'POST',
  path: '/user/api/updateUserChannelsByChannelName/',
  access: 'admin',
  summary:
    "Set the channels of a user to exactly those of these names. The user is named by login; names come as a list, or as a sheet's cell with semicolons between them.",
  body: () =>
    z.object({
      userIdentifier: z.string().max(320),
      channelNames: z.union([z.string().max(BODY_MAX_BYTES), z.array(z.string().max(400)).max(MEMBERSHIPS_MAX)]),
    }),
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found'],
  maxBytes: BODY_MAX_BYTES,
});

export const removeUserChannels = defineCall({
  method: 'POST',
  path: '/user/api/removeUserChannels/',
  access: 'admin',
  summary: 'Take a user, named by login, out of all their channels.',
  body: () => z.object({ userIdentifier: z.string().max(320) }),
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found'],
});

export const addUserToChannel = defineCall({
  method: 'POST',
  path: '/user/api/addUserToChannel',
  access: 'admin',
  summary: 'Make a user a member of a channel. Doing it twice changes nothing.',
  body: byChannelAndUser,
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found'],
});

export const deleteUserFromChannel = defineCall({
  method: 'POST',
  path: '/user/api/deleteUserFromChannel',
  access: 'admin',
  summary: 'End a membership. The user leaves the room at once if in it.',
  body: byChannelAndUser,
  reply: () => z.object({ success: z.literal(true), result: z.string() }),
  errors: ['not_found'],
});

export const connectAdminToChannel = defineCall({
  method: 'POST',
  path: '/user/api/connectAdminToChannel/',
  access: 'member',
  summary: "Put one of the caller's own live sockets into a channel's room, as join_room does.",
  body: () => z.object({ userId: userId.optional(), channelId, socketId: participantId }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: ['not_found', 'not_a_member'],
});
