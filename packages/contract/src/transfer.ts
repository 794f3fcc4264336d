import { defineCall } from './call.ts';
import { role } from './credentials.ts';
import { channelId, userId } from './ids.ts';
import { IMPORT_BODY_MAX_BYTES, IMPORT_MAX_ROWS } from './limits.ts';
import { serverEvent } from './socket.ts';
import { onDemand, z } from './zod.ts';

/** The columns of a users' sheet (spec §3). `canal` holds channel names with semicolons between them. */
export const USER_FIELDS = ['firstName', 'lastName', 'identifier', 'pseudo', 'password', 'mapRight', 'canal'] as const;
/** Further columns of an export, so that it can be imported without loss. A sheet may lack them. */
export const MORE_USER_FIELDS = ['phoneNumber', 'role'] as const;
export const ALL_USER_FIELDS = [...USER_FIELDS, ...MORE_USER_FIELDS] as const;
export type UserField = (typeof ALL_USER_FIELDS)[number];

const cell = onDemand(() =>
  z
    .union([z.string().max(100_000), z.number(), z.boolean(), z.null()])
    .optional()
    .meta({
      description:
        'A cell as read from a spreadsheet. One that is too long is a fault of its row, not of the whole import.',
    }),
);
const row = onDemand(() =>
  z
    .int()
    .min(1)
    .optional()
    .meta({ description: "The row's number in its sheet, for messages; by default its index in the payload, from 1." }),
);

export const userRow = onDemand(() =>
  z.object({
    row: row(),
    firstName: cell(),
    lastName: cell(),
    identifier: cell(),
    pseudo: cell(),
    password: cell(),
    mapRight: cell(),
    canal: cell(),
    phoneNumber: cell(),
    role: cell(),
  }),
);
export type UserRow = z.infer<ReturnType<typeof userRow>>;

export const channelRow = onDemand(() => z.object({ row: row(), name: cell() }));
export type ChannelRow = z.infer<ReturnType<typeof channelRow>>;

export const rowFault = onDemand(() =>
  z
    .object({
      field: z.enum([...ALL_USER_FIELDS, 'name']),
      code: z.enum([
        'missing',
        'too_long',
        'unreadable',
        'bad_login',
        'bad_map_right',
        'password_too_short',
        /** The password cell holds a number, date or boolean, so its displayed form may differ from its value. */
        'not_text',
        /** The password has a line break: nobody can type it to sign in. */
        'line_break',
        'reserved',
        /** An earlier row of the file has the same login. */
        'duplicate',
        'unknown_channel',
      ]),
      names: z.array(z.string()).optional().meta({ description: 'For `unknown_channel`: the unknown names.' }),
    })
    .meta({ description: 'Why a row cannot be stored. `field` is the cell to look at.' }),
);
export type RowFault = z.infer<ReturnType<typeof rowFault>>;

/** The outcome of an import: its rows by verdict, each list in the order of the sheet. */
const outcomeOf = <Created extends z.ZodType>(created: Created) =>
  z.object({
    created: z.array(created),
    existing: z.array(z.object({ row: z.int(), name: z.string() })),
    rejected: z.array(z.object({ row: z.int(), name: z.string(), faults: z.array(rowFault()) })),
    repeated: z
      .array(z.object({ row: z.int(), name: z.string() }))
      .meta({ description: 'Rows skipped because they repeat an earlier one.' }),
  });

export const userImportOutcome = onDemand(() =>
  outcomeOf(z.object({ row: z.int(), id: userId, identifier: z.string() })),
);
export type UserImportOutcome = z.infer<ReturnType<typeof userImportOutcome>>;
export const channelImportOutcome = onDemand(() =>
  outcomeOf(z.object({ row: z.int(), id: channelId, name: z.string() })),
);
export type ChannelImportOutcome = z.infer<ReturnType<typeof channelImportOutcome>>;

const importId = onDemand(() =>
  z.uuid().toLowerCase().meta({
    description:
      'Client-generated id, by which the import is polled and cancelled. An import that is sent again with the same id is done once. Within an hour of its end, the answer is that of the first one.',
  }),
);

export const getListUsersToExport = defineCall({
  method: 'POST',
  path: '/user/api/getListUsersToExport/',
  access: 'admin',
  summary: 'Every user as a row of a sheet, by last name. The password is always empty: none leaves the server.',
  body: () => z.object({}),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.array(
        z.object({
          firstName: z.string(),
          lastName: z.string(),
          identifier: z.string(),
          pseudo: z.string(),
          password: z.literal(''),
          mapRight: z.boolean(),
          canal: z.string(),
          phoneNumber: z.string(),
          role,
        }),
      ),
    }),
  errors: [],
  cost: 20,
  work: 'heavy',
});

export const getChannelsToExport = defineCall({
  method: 'POST',
  path: '/user/api/getChannelsToExport/',
  access: 'admin',
  summary: 'Every channel as a row of a sheet, by name.',
  body: () => z.object({}),
  reply: () => z.object({ success: z.literal(true), res: z.array(z.object({ name: z.string() })) }),
  errors: [],
  cost: 2,
  work: 'heavy',
});

export const checkImport = defineCall({
  method: 'POST',
  path: '/user/api/checkImport',
  access: 'admin',
  summary:
    'Which of these logins and channel names exist already, given back as they were sent; and of the first unknown names, which channels are called nearly so.',
  body: () =>
    z.object({
      identifiers: z.array(z.string().max(400)).max(IMPORT_MAX_ROWS).default([]),
      channelNames: z.array(z.string().max(400)).max(IMPORT_MAX_ROWS).default([]),
    }),
  reply: () =>
    z.object({
      success: z.literal(true),
      identifiers: z.array(z.string()),
      channelNames: z.array(z.string()),
      near: z
        .array(z.object({ name: z.string(), near: z.array(z.string()) }))
        .default([])
        .meta({ description: '`name` is the name that was sent; `near` has the nearest names first, at least one.' }),
    }),
  errors: [],
  cost: 10,
  maxBytes: IMPORT_BODY_MAX_BYTES,
  work: 'long',
});

const importErrors = ['import_running', 'import_cancelled', 'unavailable'] as const;

export const createMultipleUsers = defineCall({
  method: 'POST',
  path: '/user/api/createMultipleUsers',
  access: 'admin',
  summary:
    'Import users with their channels. Every good row is stored, in one transaction; each other row is named with its reason. Answers when all is done, which takes minutes for thousands.',
  body: () =>
    z.object({
      userData: z.array(userRow()).max(IMPORT_MAX_ROWS),
      importId: importId().optional(),
      withAdmins: z.boolean().default(false).meta({
        description: 'Whether rows whose role is `admin` become administrators, which asks for a fresh verifyPassword.',
      }),
    }),
  reply: () =>
    z.object({
      success: z.literal(true),
      createdUsers: userImportOutcome().shape.created,
      existingUsers: userImportOutcome().shape.existing,
      rejectedUsers: userImportOutcome().shape.rejected,
      repeatedUsers: userImportOutcome().shape.repeated,
    }),
  errors: [...importErrors, 'too_large', 'verification_required'],
  cost: 50,
  maxBytes: IMPORT_BODY_MAX_BYTES,
  work: 'long',
});

export const createMultipleChannels = defineCall({
  method: 'POST',
  path: '/user/api/createMultipleChannels',
  access: 'admin',
  summary: 'Import channels: every good row is stored, in one transaction; each other row is named with its reason.',
  body: () => z.object({ channelData: z.array(channelRow()).max(IMPORT_MAX_ROWS), importId: importId().optional() }),
  reply: () =>
    z.object({
      success: z.literal(true),
      channelsCreated: channelImportOutcome().shape.created,
      existingChannels: channelImportOutcome().shape.existing,
      rejectedChannels: channelImportOutcome().shape.rejected,
      repeatedChannels: channelImportOutcome().shape.repeated,
    }),
  errors: importErrors,
  cost: 50,
  maxBytes: IMPORT_BODY_MAX_BYTES,
  work: 'long',
});

const progress = onDemand(() =>
  z
    .object({ done: z.int(), total: z.int() })
    .meta({ description: 'Progress of an import: rows whose password is hashed, of all rows that will be stored.' }),
);

export const getImport = defineCall({
  method: 'POST',
  path: '/user/api/getImport',
  access: 'admin',
  summary:
    "Progress or outcome of an import of the caller's, for a client that lost the answer. Kept for an hour after its end; `not_found` means that there is no record of it, and that nothing of it was stored within the hour.",
  body: () => z.object({ importId: importId() }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.discriminatedUnion('state', [
        progress().extend({ state: z.literal('running') }),
        z.object({ state: z.literal('cancelled') }),
        z.object({ state: z.literal('failed') }),
        z.object({ state: z.literal('users'), outcome: userImportOutcome() }),
        z.object({ state: z.literal('channels'), outcome: channelImportOutcome() }),
      ]),
    }),
  errors: ['not_found'],
});

export const listImports = defineCall({
  method: 'POST',
  path: '/user/api/listImports',
  access: 'admin',
  summary:
    "The caller's imports that are running or ended within the last hour, the newest first, whichever tab or device started them.",
  body: () => z.object({}),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.array(
        z.object({
          importId: importId(),
          kind: z.enum(['users', 'channels']),
          state: z
            .enum(['running', 'ended'])
            .meta({ description: '`ended`: stored, cancelled or failed; see getImport.' }),
          startedAt: z.iso.datetime(),
          endedAt: z.iso.datetime().nullable().meta({ description: 'Null while it runs.' }),
        }),
      ),
    }),
  errors: [],
});

export const cancelImport = defineCall({
  method: 'POST',
  path: '/user/api/cancelImport',
  access: 'admin',
  summary:
    "Cancel an import of the caller's, so that nothing of it is stored. `cancelled` is false when storing has already begun.",
  body: () => z.object({ importId: importId() }),
  reply: () => z.object({ success: z.literal(true), cancelled: z.boolean() }),
  errors: ['not_found'],
});

export const transferServerEvents = {
  import_progress: serverEvent(() =>
    progress()
      .extend({ importId: importId() })
      .meta({ description: 'Progress of an import, to the sockets of the user who started it.' }),
  ),
};
