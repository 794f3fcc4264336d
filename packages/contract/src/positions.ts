import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import { LATEST_ACTIVITIES_MAX, POSITION_AGE_MAX_MS } from './limits.ts';
import { clientEvent, done, serverEvent } from './socket.ts';
import { instant } from './text.ts';
import { userActivity, userPosition } from './users.ts';
import { z } from './zod.ts';

/** Degrees (WGS 84). Values out of range are refused, not wrapped. */
const lat = z.number().min(-90).max(90);
const lng = z.number().min(-180).max(180);

/** A point of the map, as `[lng, lat]`. */
export const lngLat = z.tuple([lng, lat]);
export type LngLat = z.infer<typeof lngLat>;

/** A user's position as their device reports it. */
export const reportedPosition = z.object({
  lat,
  lng,
  /** Radius in metres within which the device believes itself to be. */
  accuracy: z.number().min(0).max(100_000_000).nullish(),
  /** The time by the device's clock. Without it: now. A time in the future counts as now (POS3). */
  recordedAt: instant.optional(),
  /** The position's age, ms: for devices that don't rely on their clock. It counts instead of `recordedAt`. */
  ageMs: z.int().min(0).max(POSITION_AGE_MAX_MS).optional(),
});
export type ReportedPosition = z.input<typeof reportedPosition>;

/** The latest position of somebody, as it is shown live. */
export const locationNews = userPosition.extend({ userId });
export type LocationNews = z.infer<typeof locationNews>;

/** A member of a channel with a known position. */
export const memberPosition = locationNews.extend({
  display_name: z.string(),
  pseudo: z.string(),
  /**
   * The latest activity, or empty. Administrators see any activity, as in lists; members see what happened in this
   * channel.
   */
  userActivities: z.array(userActivity).max(LATEST_ACTIVITIES_MAX),
});
export type MemberPosition = z.infer<typeof memberPosition>;

export const updateUserPosition = defineCall({
  method: 'POST',
  path: '/user/api/updateUserPosition',
  access: 'member',
  summary:
    "Store the caller's own position and show it live. One that is not newer than the last is left out; more than one a second in the long run is refused.",
  body: reportedPosition.extend({ userId: userId.optional() }),
  reply: z.object({
    success: z.literal(true),
    /** False: a newer one was known already. */
    stored: z.boolean(),
  }),
  errors: ['too_many'],
});

export const getMapSettings = defineCall({
  method: 'POST',
  path: '/user/api/getMapSettings',
  access: 'member',
  summary:
    'What map to show in a channel, and where it begins. For administrators, and members of it with the right to the map.',
  body: z.object({ channelId }),
  reply: z.object({
    success: z.literal(true),
    /** Address of a MapLibre style; null: the world map that comes with the web app. */
    styleUrl: z.string().nullable(),
    center: lngLat,
  }),
  errors: ['not_found', 'not_a_member'],
});

export const getChannelPositions = defineCall({
  method: 'POST',
  path: '/user/api/getChannelPositions',
  access: 'member',
  summary:
    'The latest known positions of the members of a channel, by user id. For administrators, and members of it with the right to the map.',
  body: z.object({
    channelId,
    /** Restricts the list to these users, as far as they are members. */
    userIds: z.array(userId).max(1_000).optional(),
  }),
  reply: z.object({ success: z.literal(true), res: z.array(memberPosition) }),
  errors: ['not_found', 'not_a_member'],
  cost: 3,
  work: 'heavy',
});

const ofMember = z.object({ channelId, userId });

export const lookUpPosition = defineCall({
  method: 'POST',
  path: '/user/api/lookUpPosition',
  access: 'member',
  summary:
    'Where a member of a channel is, for whoever asks for that one person: the activity log has an entry of it, one for each pair in ten minutes.',
  body: ofMember,
  reply: z.object({ success: z.literal(true), res: memberPosition.nullable() }),
  errors: ['not_found', 'not_a_member'],
});

/** A past position: `[lng, lat, age in ms]`. */
export const trailPoint = z.tuple([lng, lat, z.int().min(0)]);
export type TrailPoint = z.infer<typeof trailPoint>;

export const getUserTrail = defineCall({
  method: 'POST',
  path: '/user/api/getUserTrail',
  access: 'member',
  summary:
    'Where a member of a channel was within the last hour, oldest first; of very many points some are left out. It counts as looking up their position.',
  body: ofMember,
  reply: z.object({ success: z.literal(true), res: z.array(trailPoint) }),
  errors: ['not_found', 'not_a_member'],
});

export const positionClientEvents = {
  /** Reports a position, as `updateUserPosition` does. */
  position_update: clientEvent(reportedPosition, done),
};

export const positionServerEvents = {
  /**
   * A user's position now. To administrators, and to members with the right to the map who share a channel with the user. Of two positions,
   * the one with the later `recordedAt` counts, in whichever order they come.
   */
  onLocationChanged: serverEvent(locationNews),
  /**
   * To a socket, after it connected and at each change: whether it gets positions from here on. Positions that were read before may be out
   * of date, or are no longer for its user.
   */
  map_right: serverEvent(z.object({ mapRight: z.boolean() })),
};
