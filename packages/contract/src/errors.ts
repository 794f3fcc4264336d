import { z } from './zod.ts';

/**
 * The single table of errors: code → HTTP status and an English sentence.
 * The web client shows its own text for each code (`errors.<code>` of its locales); the sentence is for other clients.
 * `report` marks faults of ours, which are logged as errors.
 */
export const ERRORS = {
  malformed: { status: 400, text: 'The request is malformed. See params.issues.' },
  password_too_short: { status: 400, text: 'The password is shorter than this server allows.' },
  unauthenticated: { status: 401, text: 'Sign in first: the token is missing, wrong or expired.' },
  bad_credentials: { status: 401, text: 'Login or password is wrong.' },
  forbidden: { status: 403, text: 'Your role does not allow this.' },
  verification_required: { status: 403, text: 'Give your own password first: see verifyPassword.' },
  not_a_member: { status: 403, text: 'You are not a member of this channel.' },
  signup_closed: { status: 403, text: 'Registration is closed on this server.' },
  wrong_setup_code: { status: 403, text: 'The setup code is missing or wrong. The server prints it when it starts.' },
  wrong_origin: { status: 403, text: 'This server does not accept requests from that web address.' },
  wrong_host: {
    status: 403,
    text: 'This server does not know this host name as its own. Whoever runs it sets PUBLIC_URL to the address that people type.',
  },
  not_found: { status: 404, text: 'Not found.' },
  too_slow: { status: 408, text: 'The request arrived too slowly.' },
  duplicate_login: { status: 409, text: 'This login already exists.' },
  duplicate_channel: { status: 409, text: 'Channel name already exists.' },
  last_admin: { status: 409, text: 'The last administrator must stay one.' },
  conflict: { status: 409, text: 'Somebody else changed this meanwhile. Read it again.' },
  guest_links_full: { status: 409, text: 'This channel has as many guest links as it may have. Withdraw one first.' },
  guest_link_full: { status: 409, text: 'As many guests as may be are in by this link. Try again later.' },
  import_running: { status: 409, text: 'An import of yours is under way already.' },
  import_cancelled: { status: 409, text: 'The import was cancelled. Nothing was stored.' },
  in_a_call: { status: 409, text: 'You are in a call already.' },
  not_in_room: { status: 409, text: 'Join the room first.' },
  rooms_full: { status: 409, text: 'You are in as many rooms as you may be in. Leave one first.' },
  guest_link_over: {
    status: 410,
    text: 'This guest link opens nothing (any more): it was withdrawn, expired or mistyped.',
  },
  too_large: { status: 413, text: 'The request is too large.' },
  wrong_type: { status: 415, text: 'This content type is not accepted here.' },
  too_many: { status: 429, text: 'Too many attempts. Wait and try again.' },
  internal: { status: 500, text: 'Something went wrong on the server.', report: true },
  unavailable: {
    status: 503,
    text: 'The server is starting, stopping, too busy or cannot reach its database. Try again later.',
    report: true,
  },
} as const satisfies Record<string, { status: number; text: string; report?: boolean }>;

export type ErrorCode = keyof typeof ERRORS;
export const errorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]);

export const issue = z.object({ path: z.string(), code: z.string() }).meta({
  description:
    'One fault in a payload: where (dot path, empty for the whole) and what (a Zod issue code or our own word).',
});
export type Issue = z.infer<typeof issue>;

export const errorParams = z
  .object({
    issues: z.array(issue).optional(),
    what: z.string().optional(),
    minLength: z.int().optional(),
    retryAfterSeconds: z.int().optional(),
    requestId: z.string().optional(),
    contract: z.string().optional().meta({
      description:
        "The server's contract, as in `server_version`. Present with `malformed`, and with `not_found` for a call or event that isn't in the contract.",
    }),
  })
  .meta({ description: "Parameters of an error's text, all optional; the code determines which are present." });
export type ErrorParams = z.infer<typeof errorParams>;

export const failure = z
  .object({
    success: z.literal(false),
    result: z.string(),
    code: errorCode,
    params: errorParams,
  })
  .meta({ description: 'The body of every refused call.' });
export type Failure = z.infer<typeof failure>;
