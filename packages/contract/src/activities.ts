import { type LoggedType, loggedType } from './activity-types.ts';
import { defineCall } from './call.ts';
import { callEnd } from './calls.ts';
import { channelId, userId } from './ids.ts';
import { ACTIVITIES_LAST, ACTIVITIES_MAX_LIMIT, ACTIVITIES_PAGE, FILTER_MAX_LENGTH } from './limits.ts';
import { totalRecords } from './list.ts';
import { cleanName, instant } from './text.ts';
import { onDemand, z } from './zod.ts';

export const fieldChange = onDemand(() =>
  z
    .object({
      field: z.enum(['firstName', 'lastName', 'pseudo', 'phone_number', 'photo', 'channelName', 'talkMode']),
      from: z.string(),
      to: z.string(),
    })
    .meta({
      description: "A field of the target, with its old and its new value. Never of a password or a message's text.",
    }),
);
export type FieldChange = z.infer<ReturnType<typeof fieldChange>>;

const changes = onDemand(() => z.object({ changes: z.array(fieldChange()) }));
const count = z.int().min(0);
const stay = onDemand(() =>
  z.object({ durationMs: count }).meta({ description: 'How long somebody was in the room, ms.' }),
);
const nothing = z.object({});
const importOutcome = onDemand(() => z.object({ created: count, existing: count, rejected: count, repeated: count }));
export const talkEnd = z
  .enum(['released', 'preempted', 'time_limit', 'lease_expired', 'mode_changed', 'left'])
  .meta({ description: 'How a talk ended: as its talker wished, or by the reason of a revocation (see voice.ts).' });
export type TalkEnd = z.infer<typeof talkEnd>;

/** The details that are kept with an entry, by its type; an empty object where a type has none. */
export const activityDetails = onDemand(
  () =>
    ({
      login: nothing,
      logout: nothing,
      position_update: nothing,
      position_get: nothing,
      message_send: nothing,
      image_send: nothing,
      message_read: nothing,
      channel_talk: z
        .object({
          durationMs: count,
          end: talkEnd,
          talks: count.min(2).optional(),
          spanMs: count.optional(),
        })
        .meta({
          description:
            '`talks`: several short talks in a row may be one entry, with their whole duration and the end of the last one. `spanMs`: from the beginning of the first talk to the end of the last. It is present only with `talks`, and missing from entries made before it was kept.',
        }),
      channel_join: nothing,
      channel_leave: stay(),
      connexion_lost: stay().partial(),
      channel_creation: z.object({ members: count.optional(), imported: z.boolean().optional() }),
      channel_update: changes(),
      channel_delete: z.object({ members: count }),
      user_creation: z
        .object({
          login: z.string(),
          role: z.enum(['admin', 'member']),
          mapRight: z.boolean(),
          channels: count,
          by: z
            .enum(['self', 'administrator', 'import', 'maintenance'])
            .meta({ description: '`maintenance`: by a command of the machine on which the server runs.' }),
        })
        .meta({
          description:
            '`by`: `self` is by signing up. `channels`: how many channels the account was put into when it was created.',
        }),
      user_update: changes(),
      user_delete: z.object({ login: z.string(), role: z.enum(['admin', 'member']), channels: count }),
      password_change: nothing,
      role_change: z.object({ from: z.enum(['admin', 'member']), to: z.enum(['admin', 'member']) }),
      map_right_change: z.object({ from: z.boolean(), to: z.boolean() }),
      membership_add: nothing,
      membership_remove: nothing,
      sign_in_failure: z
        .object({
          reason: z.enum(['password', 'unknown_login', 'proof', 'limited', 'flood']),
          count: count.min(1),
        })
        .meta({
          description:
            "`reason`. `password`: the password of an account, which is the target, was wrong. `unknown_login`: nobody has the login, which is not kept. `proof`: the user's own password was asked for again and was wrong. `limited`: after too many attempts it was refused unchecked. `flood`: there were too many to name each. `count`: several in a row are one entry.",
        }),
      session_end: z
        .object({ isOne: z.boolean().optional() })
        .meta({ description: 'All sessions of the target were ended, or one of them.' }),
      message_delete: z.object({ createdAt: instant }),
      user_import: importOutcome(),
      channel_import: importOutcome(),
      user_export: z.object({ count }),
      channel_export: z.object({ count }),
      activity_export: z.object({ count }),
      activity_delete: z.object({ before: instant, count, by: z.enum(['administrator', 'retention']) }).meta({
        description:
          'Entries from before this moment were deleted by an administrator, or by the retention (then the entry has no user).',
      }),
      guest_link_creation: z
        .object({ name: z.string(), expiresAt: instant })
        .meta({ description: "`name`: the link's name, by which others know whose guests come by it." }),
      guest_link_withdrawal: z.object({ name: z.string() }),
      guest_join: nothing.meta({
        description: "A guest entered. `user` has the guest's name with the link's, under an id that is no user's.",
      }),
      call: z
        .object({ durationMs: count, end: callEnd })
        .meta({ description: 'A one-to-one call that was taken: from then to its end, ms.' }),
      call_missed: z.object({ end: callEnd }).meta({ description: 'A one-to-one call that was not taken.' }),
    }) as const satisfies Record<LoggedType, z.ZodObject>,
);

export type ActivityDetails<T extends LoggedType = LoggedType> = z.infer<ReturnType<typeof activityDetails>[T]>;

const entry = onDemand(() =>
  z
    .object({
      id: z.uuid(),
      createdAt: instant,
      user: z
        .object({ id: userId, firstName: z.string(), display_name: z.string() })
        .nullable()
        .meta({ description: 'The user who did it. Null: the server itself, or somebody who is not signed in.' }),
      target: z
        .object({ id: userId, display_name: z.string() })
        .nullable()
        .meta({ description: 'The user to whom it was done, where it was done to one.' }),
      channel: z.object({ id: channelId, name: z.string() }).nullable(),
      address: z.string().nullable().meta({
        description:
          'The network address that the request came from, as the server determines it; null if there is none or none was kept.',
      }),
    })
    .meta({
      description:
        'Names as they were when it happened: the entry stays readable when user or channel is renamed or gone.',
    }),
);

/** An entry of the activity log (spec §3), with what an auditor asks for. */
export type Activity = Detailed<z.output<ReturnType<typeof entry>>>;
type Detailed<Entry> = {
  [T in LoggedType]: Entry & {
    type: T;
    /** Null for entries from before details were kept. */
    details: ActivityDetails<T> | null;
  };
}[LoggedType];

export const activity = onDemand(() => {
  const [first, ...others] = loggedType.options.map((type) =>
    entry().extend({ type: z.literal(type), details: activityDetails()[type].nullable() }),
  );
  if (first === undefined) throw new Error('The log has no types');
  // Typed by hand: mapping the list of types loses which details belong to which.
  return z
    .discriminatedUnion('type', [first, ...others])
    .meta({ description: 'An entry of the activity log, with what an auditor asks for.' }) as unknown as z.ZodType<
    Activity,
    Detailed<z.input<ReturnType<typeof entry>>>
  >;
});

const cursor = onDemand(() =>
  z
    .string()
    .min(1)
    .max(100)
    .meta({ description: 'A point between two entries of the log, as text that only the server reads.' }),
);

export const activityFilter = onDemand(() =>
  z
    .object({
      scope: z
        .enum(['spec', 'audit', 'all'])
        .default('spec')
        .meta({ description: "`spec`: the specification's types, `audit`: the others, `all`: both." }),
      types: z
        .array(loggedType)
        .min(1)
        .max(loggedType.options.length)
        .optional()
        .meta({ description: 'Only entries of these types; `scope` is ignored then.' }),
      userId: userId.optional().meta({ description: 'Only what this user did.' }),
      targetId: userId.optional().meta({ description: 'Only what was done to this user.' }),
      channelId: channelId.optional(),
      from: instant.optional().meta({ description: 'Only entries from this moment on.' }),
      to: instant.optional().meta({ description: 'Only entries from before this moment.' }),
      text: z.string().max(FILTER_MAX_LENGTH).transform(cleanName).optional().meta({
        description:
          'Text that a name in the entry contains (of the user, the target or the channel), ignoring case and accents.',
      }),
    })
    .meta({ description: "Selects entries. Without any of these fields: those of the specification's types." }),
);
export type ActivityFilter = z.input<ReturnType<typeof activityFilter>>;

export const getLastActivities = defineCall({
  method: 'POST',
  path: '/user/api/getLastActivities/',
  access: 'admin',
  summary: "The newest entries of the activity log, newest first; of the specification's types unless told otherwise.",
  body: () =>
    activityFilter()
      .pick({ scope: true })
      .extend({
        limit: z.int().min(1).max(ACTIVITIES_MAX_LIMIT).default(ACTIVITIES_LAST),
      }),
  reply: () => z.object({ success: z.literal(true), res: z.array(activity()) }),
  errors: [],
});

export const getAllActivities = defineCall({
  method: 'POST',
  path: '/user/api/getAllActivities/',
  access: 'admin',
  summary:
    "A page of the activity log, newest first, with the exact number of entries; of the specification's types unless told otherwise.",
  body: () =>
    activityFilter().extend({
      start: z
        .int()
        .min(0)
        .max(1_000_000_000)
        .default(0)
        .meta({ description: 'Entries to skip: from the newest, or from the cursor.' }),
      limit: z.int().min(1).max(ACTIVITIES_MAX_LIMIT).default(ACTIVITIES_PAGE),
      cursor: cursor().optional().meta({
        description: 'A cursor that an earlier reply named: newer entries are left out, however many have come since.',
      }),
    }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.object({
        activities: z.array(activity()),
        totalRecords: totalRecords.meta({
          description: 'The exact number of entries that the filter finds, from the cursor on if there is one.',
        }),
        newer: z
          .int()
          .meta({ description: 'How many of the entries found are newer than the cursor; 0 without a cursor.' }),
        top: cursor().nullable().meta({
          description:
            "The cursor directly above the newest entry of this answer's list, or the cursor that was sent. A client that sends it with `start` gets pages that keep their entries while new ones come. Null while the log is empty.",
        }),
        older: cursor().nullable().meta({
          description:
            'The cursor directly below this page. A client that sends it with `start` 0 gets the next page. Null when there is none.',
        }),
      }),
    }),
  errors: [],
  cost: 2,
  work: 'heavy',
});

// Specification §9.
export const timeFrame = z
  .enum(['1m', '2w', '1w'])
  .meta({ description: 'The age from which on entries are deleted: one month, two weeks or one week.' });
export type TimeFrame = z.infer<typeof timeFrame>;

/**
 * Returns the moment before which entries are deleted. A week is seven days of 24 hours. A month ago is the same day and time (UTC), or the
 * last day of a shorter month.
 */
export function beginningOf(frame: TimeFrame, now: Date): Date {
  if (frame !== '1m') return new Date(now.getTime() - (frame === '1w' ? 7 : 14) * 24 * 60 * 60_000);
  const before = new Date(now);
  before.setUTCMonth(before.getUTCMonth() - 1);
  // A month before 31 March would be 31 February, which `Date` turns into early March.
  if (before.getUTCDate() !== now.getUTCDate()) before.setUTCDate(0);
  return before;
}

export const deleteOldActivities = defineCall({
  method: 'POST',
  path: '/user/api/deleteOldActivities',
  access: 'admin',
  summary:
    'Delete every entry that is older than a month, two weeks or a week. They are out of the log when this answers; the disk is cleared in parts afterwards.',
  body: () =>
    z.object({
      timeFrame,
      before: instant.optional().meta({
        description:
          'Entries from this moment on stay. Send the moment that a user was asked about: clocks differ, and time has passed since.',
      }),
    }),
  reply: () =>
    z.object({
      success: z.literal(true),
      deleted: z.int().meta({ description: 'How many entries were deleted, of all types.' }),
    }),
  errors: [],
  cost: 5,
});

/** The columns of the export as text/csv, in their order. */
export const ACTIVITY_EXPORT_COLUMNS = [
  'createdAt',
  'localTime',
  'type',
  'user',
  'userId',
  'target',
  'targetId',
  'channel',
  'channelId',
  'address',
  'details',
] as const;

/** An entry's cells in an export, of any format. @param localTime writes a moment as `2026-11-22 13:34:56` of some zone */
export function exportedCells(
  { createdAt, type, user, target, channel, address, details }: z.input<ReturnType<typeof activity>>,
  localTime: Intl.DateTimeFormat,
): Record<(typeof ACTIVITY_EXPORT_COLUMNS)[number], string> {
  return {
    createdAt,
    localTime: localTime.format(new Date(createdAt)),
    type,
    user: user?.display_name ?? '',
    userId: user?.id ?? '',
    target: target?.display_name ?? '',
    targetId: target?.id ?? '',
    channel: channel?.name ?? '',
    channelId: channel?.id ?? '',
    address: address ?? '',
    details: details === null || Object.keys(details).length === 0 ? '' : JSON.stringify(details),
  };
}

/** The clock of the column `localTime`. */
export const exportClock = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });

export const exportActivities = defineCall({
  method: 'POST',
  path: '/user/api/exportActivities',
  access: 'admin',
  summary:
    'All entries that a filter finds, newest first, as they are when it begins: a stream of text/csv, or of one JSON object (an `activity`) a line as application/x-ndjson. The header `x-total-records` says how many they are. Closing the connection ends it.',
  body: () =>
    activityFilter().extend({
      format: z.enum(['csv', 'ndjson']).default('csv'),
      timeZone: z.string().max(64).optional().meta({ description: 'IANA zone of the column `localTime`.' }),
    }),
  reply: () => z.unknown().meta({ description: 'A stream: see `streams`.' }),
  streams: true,
  errors: [],
  cost: 20,
  work: 'long',
});
