import { activity } from './activities.ts';
import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import { DASHBOARD_CHANNELS, TREND_DAYS, UNREAD_MAX } from './limits.ts';
import { instant } from './text.ts';
import { z } from './zod.ts';

const count = z.int().min(0);
/** A calendar day in the viewer's zone, yyyy-MM-dd. */
const day = z.iso.date();

/** How many users or channels there are, and their growth over ten days (spec §9). */
export const trend = z.object({
  total: count,
  /** Oldest first, today last. */
  days: z
    .array(
      z.object({
        day,
        /** The age of what was created on that day, from 10 down to 1, which is today. */
        age: z.int().min(1).max(TREND_DAYS),
        created: count,
        /** How many of those that exist now existed at the end of that day. */
        total: count,
      }),
    )
    .length(TREND_DAYS),
  /** The growth over these days in percent, one digit after the point; null when there were none before. */
  changePercent: z.number().nullable(),
});
export type Trend = z.infer<typeof trend>;

const place = z.object({ id: channelId, name: z.string(), rtcSession: z.string() });
const person = z.object({ userId, name: z.string() });

/** A channel with the numbers of its users. */
export const activeChannel = place.extend({
  userCount: count,
  /** Distinct users in its room now. */
  connected: count,
  /** The time of the newest entry about the channel in the log; null when there is none. */
  lastActivityAt: instant.nullable(),
});
export type ActiveChannel = z.infer<typeof activeChannel>;

/** A room with somebody in it. */
export const liveRoom = place.extend({
  /** Distinct users in it, guests not counted. */
  connected: count,
  /** The users in it, in the order in which they came; at most 20. */
  users: z.array(person),
  /** Guests in it: how many, and the names of those who came first, with their link; at most 20. */
  guests: z.object({ count, names: z.array(z.string()) }),
  talkers: z.array(person.extend({ talkingMs: count })),
});
export type LiveRoom = z.infer<typeof liveRoom>;

/** Talks of one channel today. */
export const channelTalk = z.object({
  id: channelId,
  name: z.string(),
  talkMs: count,
  transmissions: count,
  /**
   * Talks by the hour of the viewer's clock at which they began, 0 to 23. On a day of 25 hours, the hour that comes
   * twice has the talks of both. On a day of 23 hours, the missing hour is empty.
   */
  hours: z.array(z.object({ talkMs: count, transmissions: count })).length(24),
});
export type ChannelTalk = z.infer<typeof channelTalk>;

const talkToday = z.object({
  day,
  talkMs: count,
  transmissions: count,
  /** Talks that broke off because nothing more came from the talker: the only figure here about the voice's quality. */
  brokenOff: count,
  /** Channels in which somebody talked, the longest talk time first; at most 20. */
  channels: z.array(channelTalk),
});

const live = z.object({
  /** Distinct users with a live socket whom the caller may see. Members count themselves, even before their socket is up. */
  connected: count,
  /** Distinct users in a room. */
  inRooms: count,
  /** Rooms in which somebody talks come first, then by how many are there; at most 50. */
  rooms: z.array(liveRoom),
  /** Connected users who are in none of the rooms that the caller may see: how many, and who, by name; at most 20. */
  outside: z.object({ count, users: z.array(person) }),
});

/** A channel as its member's dashboard shows it. */
export const ownChannel = activeChannel.extend({
  /** Messages of others that the caller has not read. */
  unread: z.int().min(0).max(UNREAD_MAX),
  /** Talks of others since the caller was last in the room, within the last 24 hours. */
  missedTalks: count,
});
export type OwnChannel = z.infer<typeof ownChannel>;

export const getDashboard = defineCall({
  method: 'POST',
  path: '/user/api/getDashboard',
  access: 'member',
  summary:
    'All figures of the dashboard at once: of the whole team for administrators, of the own channels for members. Days are those of the zone that is sent.',
  body: z.object({
    /** IANA time zone; UTC without it. */
    timeZone: z.string().max(64).optional(),
  }),
  reply: z.object({
    success: z.literal(true),
    res: z.discriminatedUnion('role', [
      z.object({
        role: z.literal('admin'),
        users: trend,
        channels: trend,
        /** Sorted by the number of their users, highest first, then by name. */
        topChannels: z.array(activeChannel).max(DASHBOARD_CHANNELS),
        /** Members who belong to no channel: how many, and those whose accounts are the newest; at most 5. */
        withoutChannel: z.object({ count, users: z.array(person) }),
        /** As getLastActivities. */
        lastActivities: z.array(activity),
        live,
        talkToday,
      }),
      z.object({
        role: z.literal('member'),
        /** Sorted by name. */
        channels: z.array(ownChannel),
        live,
        talkToday,
      }),
    ]),
  }),
  errors: [],
  cost: 5,
  work: 'heavy',
});
export type Dashboard = z.infer<typeof getDashboard.reply>['res'];
