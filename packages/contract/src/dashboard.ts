import { activity } from './activities.ts';
import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import { DASHBOARD_CHANNELS, TREND_DAYS, UNREAD_MAX } from './limits.ts';
import { instant } from './text.ts';
import { z } from './zod.ts';

const count = z.int().min(0);
/** A calendar day in the viewer's zone, yyyy-MM-dd. */
const day = z.iso.date();

/** How many there are, and how they became so many within ten days (spec §9). */
export const trend = z.object({
  total: count,
  /** Oldest first, today last. */
  days: z
    .array(
      z.object({
        day,
        /** Age of what was created on that day, from 10 down to 1: today. */
        age: z.int().min(1).max(TREND_DAYS),
        created: count,
        /** Of those that exist now: how many did at the end of that day. */
        total: count,
      }),
    )
    .length(TREND_DAYS),
  /** By how many percent they became more in these days, one digit after the point; null when there were none before. */
  changePercent: z.number().nullable(),
});
export type Trend = z.infer<typeof trend>;

const place = z.object({ id: channelId, name: z.string(), rtcSession: z.string() });
const person = z.object({ userId, name: z.string() });

/** A channel with how many are in it. */
export const activeChannel = place.extend({
  userCount: count,
  /** Distinct users in its room now. */
  connected: count,
  /** Of the newest entry about it in the log; null when there is none. */
  lastActivityAt: instant.nullable(),
});
export type ActiveChannel = z.infer<typeof activeChannel>;

/** A room with somebody in it. */
export const liveRoom = place.extend({
  /** Distinct users in it, guests not counted. */
  connected: count,
  /** Who is in it, those who came first; at most 20. */
  users: z.array(person),
  /** Guests in it: how many, and what those who came first are called, with their link; at most 20. */
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
   * By the hour of the viewer's clock at which a talk began, 0 to 23. On a day of 25 hours the one that comes twice has
   * both; on a day of 23 the one that is left out is empty.
   */
  hours: z.array(z.object({ talkMs: count, transmissions: count })).length(24),
});
export type ChannelTalk = z.infer<typeof channelTalk>;

const talkToday = z.object({
  day,
  talkMs: count,
  transmissions: count,
  /** Of these, those that broke off because nothing came of the talker any more: the figure there is of the voice's quality. */
  brokenOff: count,
  /** Those in which somebody talked, the longest talk time first; at most 20. */
  channels: z.array(channelTalk),
});

const live = z.object({
  /** Distinct users with a live socket, among those whom the caller may see. A member counts themselves, also before their socket is up. */
  connected: count,
  /** Distinct users in a room. */
  inRooms: count,
  /** Where somebody talks first, then by how many are there; at most 50. */
  rooms: z.array(liveRoom),
  /** Of those connected: how many are in none of the rooms that the caller may see, and who, by name; at most 20. */
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
        /** By the number of their users, highest first, then by name. */
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
        /** By name. */
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
