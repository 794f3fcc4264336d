import { activity } from './activities.ts';
import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import { DASHBOARD_CHANNELS, TREND_DAYS, UNREAD_MAX } from './limits.ts';
import { instant } from './text.ts';
import { onDemand, z } from './zod.ts';

const count = z.int().min(0);
const day = z.iso.date().meta({ description: "A calendar day in the viewer's zone, yyyy-MM-dd." });

// Specification §9.
export const trend = onDemand(() =>
  z
    .object({
      total: count,
      days: z
        .array(
          z.object({
            day,
            age: z
              .int()
              .min(1)
              .max(TREND_DAYS)
              .meta({ description: 'The age of what was created on that day, from 10 down to 1, which is today.' }),
            created: count,
            total: count.meta({ description: 'How many of those that exist now existed at the end of that day.' }),
          }),
        )
        .length(TREND_DAYS)
        .meta({ description: 'Oldest first, today last.' }),
      changePercent: z.number().nullable().meta({
        description:
          'The growth over these days in percent, one digit after the point; null when there were none before.',
      }),
    })
    .meta({ description: 'How many users or channels there are, and their growth over ten days.' }),
);
export type Trend = z.infer<ReturnType<typeof trend>>;

const namedChannel = onDemand(() => z.object({ id: channelId, name: z.string(), rtcSession: z.string() }));
const person = onDemand(() => z.object({ userId, name: z.string() }));

export const activeChannel = onDemand(() =>
  namedChannel()
    .extend({
      userCount: count,
      connected: count.meta({ description: 'Distinct users in its room now.' }),
      lastActivityAt: instant
        .nullable()
        .meta({ description: 'The time of the newest entry about the channel in the log; null when there is none.' }),
    })
    .meta({ description: 'A channel with the numbers of its users.' }),
);
export type ActiveChannel = z.infer<ReturnType<typeof activeChannel>>;

export const liveRoom = onDemand(() =>
  namedChannel()
    .extend({
      connected: count.meta({ description: 'Distinct users in it, guests not counted.' }),
      users: z.array(person()).meta({ description: 'The users in it, in the order in which they came; at most 20.' }),
      guests: z.object({ count, names: z.array(z.string()) }).meta({
        description: 'Guests in it: how many, and the names of those who came first, with their link; at most 20.',
      }),
      talkers: z.array(person().extend({ talkingMs: count })),
    })
    .meta({ description: 'A room with somebody in it.' }),
);
export type LiveRoom = z.infer<ReturnType<typeof liveRoom>>;

export const channelTalk = onDemand(() =>
  z
    .object({
      id: channelId,
      name: z.string(),
      talkMs: count,
      transmissions: count,
      hours: z
        .array(z.object({ talkMs: count, transmissions: count }))
        .length(24)
        .meta({
          description:
            "Talks by the hour of the viewer's clock at which they began, 0 to 23. On a day of 25 hours, the hour that comes twice has the talks of both. On a day of 23 hours, the missing hour is empty.",
        }),
    })
    .meta({ description: 'Talks of one channel today.' }),
);
export type ChannelTalk = z.infer<ReturnType<typeof channelTalk>>;

const talkToday = onDemand(() =>
  z.object({
    day,
    talkMs: count,
    transmissions: count,
    brokenOff: count.meta({
      description:
        "Talks that broke off because nothing more came from the talker: the only figure here about the voice's quality.",
    }),
    channels: z
      .array(channelTalk())
      .meta({ description: 'Channels in which somebody talked, the longest talk time first; at most 20.' }),
  }),
);

const live = onDemand(() =>
  z.object({
    connected: count.meta({
      description:
        'Distinct users with a live socket whom the caller may see. Members count themselves, even before their socket is up.',
    }),
    inRooms: count.meta({ description: 'Distinct users in a room.' }),
    rooms: z
      .array(liveRoom())
      .meta({ description: 'Rooms in which somebody talks come first, then by how many are there; at most 50.' }),
    outside: z.object({ count, users: z.array(person()) }).meta({
      description:
        'Connected users who are in none of the rooms that the caller may see: how many, and who, by name; at most 20.',
    }),
  }),
);

export const ownChannel = onDemand(() =>
  activeChannel()
    .extend({
      unread: z.int().min(0).max(UNREAD_MAX).meta({ description: 'Messages of others that the caller has not read.' }),
      missedTalks: count.meta({
        description: 'Talks of others since the caller was last in the room, within the last 24 hours.',
      }),
    })
    .meta({ description: "A channel as its member's dashboard shows it." }),
);
export type OwnChannel = z.infer<ReturnType<typeof ownChannel>>;

export const getDashboard = defineCall({
  method: 'POST',
  path: '/user/api/getDashboard',
  access: 'member',
  summary:
    'All figures of the dashboard at once: of the whole team for administrators, of the own channels for members. Days are those of the zone that is sent.',
  body: () =>
    z.object({
      timeZone: z.string().max(64).optional().meta({ description: 'IANA time zone; UTC without it.' }),
    }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.discriminatedUnion('role', [
        z.object({
          role: z.literal('admin'),
          users: trend(),
          channels: trend(),
          topChannels: z
            .array(activeChannel())
            .max(DASHBOARD_CHANNELS)
            .meta({ description: 'Sorted by the number of their users, highest first, then by name.' }),
          withoutChannel: z.object({ count, users: z.array(person()) }).meta({
            description:
              'Members who belong to no channel: how many, and those whose accounts are the newest; at most 5.',
          }),
          lastActivities: z.array(activity()).meta({ description: 'As getLastActivities.' }),
          live: live(),
          talkToday: talkToday(),
        }),
        z.object({
          role: z.literal('member'),
          channels: z.array(ownChannel()).meta({ description: 'Sorted by name.' }),
          live: live(),
          talkToday: talkToday(),
        }),
      ]),
    }),
  errors: [],
  cost: 5,
  work: 'heavy',
});
export type Dashboard = z.infer<typeof getDashboard.reply>['res'];
