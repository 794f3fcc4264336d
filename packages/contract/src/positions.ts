import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import { LATEST_ACTIVITIES_MAX, POSITION_AGE_MAX_MS } from './limits.ts';
import { clientEvent, done, serverEvent } from './socket.ts';
import { instant } from './text.ts';
import { userActivity, userPosition } from './users.ts';
import { onDemand, z } from './zod.ts';

const lat = onDemand(() =>
  z.number().min(-90).max(90).meta({ description: 'Degrees (WGS 84). Values out of range are refused, not wrapped.' }),
);
const lng = onDemand(() => z.number().min(-180).max(180));

export const lngLat = onDemand(() =>
  z.tuple([lng(), lat()]).meta({ description: 'A point of the map, as `[lng, lat]`.' }),
);
export type LngLat = z.infer<ReturnType<typeof lngLat>>;

export const reportedPosition = onDemand(() =>
  z
    .object({
      lat: lat(),
      lng: lng(),
      accuracy: z
        .number()
        .min(0)
        .max(100_000_000)
        .nullish()
        .meta({ description: 'Radius in metres within which the device believes itself to be.' }),
      // Rule POS3.
      recordedAt: instant
        .optional()
        .meta({ description: "The time by the device's clock. Without it: now. A time in the future counts as now." }),
      ageMs: z.int().min(0).max(POSITION_AGE_MAX_MS).optional().meta({
        description:
          "The position's age, ms: for devices that don't rely on their clock. It counts instead of `recordedAt`.",
      }),
    })
    .meta({ description: "A user's position as their device reports it." }),
);
export type ReportedPosition = z.input<ReturnType<typeof reportedPosition>>;

export const locationNews = onDemand(() =>
  userPosition().extend({ userId }).meta({ description: 'The latest position of somebody, as it is shown live.' }),
);
export type LocationNews = z.infer<ReturnType<typeof locationNews>>;

export const memberPosition = onDemand(() =>
  locationNews()
    .extend({
      display_name: z.string(),
      pseudo: z.string(),
      userActivities: z.array(userActivity()).max(LATEST_ACTIVITIES_MAX).meta({
        description:
          'The latest activity, or empty. Administrators see any activity, as in lists; members see what happened in this channel.',
      }),
    })
    .meta({ description: 'A member of a channel with a known position.' }),
);
export type MemberPosition = z.infer<ReturnType<typeof memberPosition>>;

export const updateUserPosition = defineCall({
  method: 'POST',
  path: '/user/api/updateUserPosition',
  access: 'member',
  summary:
    "Store the caller's own position and show it live. One that is not newer than the last is left out; more than one a second in the long run is refused.",
  body: () => reportedPosition().extend({ userId: userId.optional() }),
  reply: () =>
    z.object({
      success: z.literal(true),
      stored: z.boolean().meta({ description: 'False: a newer one was known already.' }),
    }),
  errors: ['too_many'],
});

export const getMapSettings = defineCall({
  method: 'POST',
  path: '/user/api/getMapSettings',
  access: 'member',
  summary:
    'What map to show in a channel, and where it begins. For administrators, and members of it with the right to the map.',
  body: () => z.object({ channelId }),
  reply: () =>
    z.object({
      success: z.literal(true),
      styleUrl: z
        .string()
        .nullable()
        .meta({ description: 'Address of a MapLibre style; null: the world map that comes with the web app.' }),
      center: lngLat(),
    }),
  errors: ['not_found', 'not_a_member'],
});

export const getChannelPositions = defineCall({
  method: 'POST',
  path: '/user/api/getChannelPositions',
  access: 'member',
  summary:
    'The latest known positions of the members of a channel, by user id. For administrators, and members of it with the right to the map.',
  body: () =>
    z.object({
      channelId,
      userIds: z
        .array(userId)
        .max(1_000)
        .optional()
        .meta({ description: 'Restricts the list to these users, as far as they are members.' }),
    }),
  reply: () => z.object({ success: z.literal(true), res: z.array(memberPosition()) }),
  errors: ['not_found', 'not_a_member'],
  cost: 3,
  work: 'heavy',
});

const ofMember = onDemand(() => z.object({ channelId, userId }));

export const lookUpPosition = defineCall({
  method: 'POST',
  path: '/user/api/lookUpPosition',
  access: 'member',
  summary:
    'Where a member of a channel is, for whoever asks for that one person: the activity log has an entry of it, one for each pair in ten minutes.',
  body: ofMember,
  reply: () => z.object({ success: z.literal(true), res: memberPosition().nullable() }),
  errors: ['not_found', 'not_a_member'],
});

export const trailPoint = onDemand(() =>
  z.tuple([lng(), lat(), z.int().min(0)]).meta({ description: 'A past position: `[lng, lat, age in ms]`.' }),
);
export type TrailPoint = z.infer<ReturnType<typeof trailPoint>>;

export const getUserTrail = defineCall({
  method: 'POST',
  path: '/user/api/getUserTrail',
  access: 'member',
  summary:
    'Where a member of a channel was within the last hour, oldest first; of very many points some are left out. It counts as looking up their position.',
  body: ofMember,
  reply: () => z.object({ success: z.literal(true), res: z.array(trailPoint()) }),
  errors: ['not_found', 'not_a_member'],
});

export const positionClientEvents = {
  position_update: clientEvent(
    () => reportedPosition().meta({ description: 'Reports a position, as `updateUserPosition` does.' }),
    () => done,
  ),
};

export const positionServerEvents = {
  onLocationChanged: serverEvent(() =>
    locationNews().meta({
      description:
        "A user's position now. To administrators, and to members with the right to the map who share a channel with the user. Of two positions, the one with the later `recordedAt` counts, in whichever order they come.",
    }),
  ),
  map_right: serverEvent(() =>
    z.object({ mapRight: z.boolean() }).meta({
      description:
        'To a socket, after it connected and at each change: whether it gets positions from here on. Positions that were read before may be out of date, or are no longer for its user.',
    }),
  ),
};
