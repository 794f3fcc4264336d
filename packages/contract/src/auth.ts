import { defineCall } from './call.ts';
import { login, newPassword, password, role } from './credentials.ts';
import { channelId, userId } from './ids.ts';
import { NAME_MAX_LENGTH, PHONE_MAX_LENGTH, SETUP_CODE_MAX_LENGTH, SIGN_UP_MAX_BYTES } from './limits.ts';
import { instant, plainText, requiredText } from './text.ts';
import { onDemand, z } from './zod.ts';

export const token = onDemand(() =>
  z.string().min(1).max(256).meta({ description: 'The token of a session: 256 random bits in base64url.' }),
);

export const sessionUser = onDemand(() =>
  z
    .object({
      id: userId,
      identifier: z.string(),
      firstName: z.string(),
      lastName: z.string(),
      pseudo: z.string(),
      display_name: z.string(),
      photo_url: z
        .string()
        .nullable()
        .meta({ description: 'Signed path of the photo, valid for one to two hours; null without a photo.' }),
      role,
      mapRight: z.boolean(),
      createdAt: instant,
    })
    .meta({ description: 'The signed-in user, as the session identifies them.' }),
);
export type SessionUser = z.infer<ReturnType<typeof sessionUser>>;

export const logIn = defineCall({
  method: 'POST',
  path: '/user/api/login',
  access: 'public',
  summary: 'Open a session. Limited per account and per address.',
  body: () =>
    z.object({
      user_email: z.string().min(1).max(320),
      user_password: password,
      remember: z.boolean().default(false).meta({
        description:
          "'Remember me': the session lasts 30 days after its last use, 90 at most, instead of 12 hours after sign-in.",
      }),
    }),
  reply: () =>
    z.object({
      success: z.literal(true),
      result: z.string(),
      user: sessionUser().extend({ authToken: token() }),
    }),
  errors: ['bad_credentials', 'too_many'],
  cost: 10,
  work: 'long',
});

export const isValidToken = defineCall({
  method: 'POST',
  path: '/user/api/isValidToken',
  access: 'public',
  summary: 'Whether a token still opens a session, and whose it is. An invalid token is an answer, not an error.',
  body: () => z.object({ token: z.string().max(4096) }),
  reply: () =>
    z.discriminatedUnion('success', [
      z.object({ success: z.literal(true), user: sessionUser() }),
      z.object({ success: z.literal(false) }),
    ]),
  errors: [],
});

export const registration = onDemand(() =>
  z
    .object({
      firstName: requiredText(NAME_MAX_LENGTH),
      lastName: requiredText(NAME_MAX_LENGTH),
      email: login,
      password: newPassword,
      phone_number: plainText(PHONE_MAX_LENGTH).default(''),
    })
    .meta({ description: 'The fields of a registration. Names may not be blank; the phone may.' }),
);

export const signUpUser = defineCall({
  method: 'POST',
  path: '/user/api/signUpUser',
  access: 'public',
  summary:
    'Register. The very first account becomes administrator, and may have to give the setup code. With the token of an administrator it creates a member, and only then are pseudo, mapRight and channelList heeded.',
  body: () =>
    registration().extend({
      pseudo: plainText(NAME_MAX_LENGTH).default(''),
      mapRight: z.boolean().default(false),
      channelList: z
        .array(channelId)
        .max(1_000)
        .default([])
        .meta({ description: 'The channels of the new user, stored in the same transaction.' }),
      setupCode: z.string().max(SETUP_CODE_MAX_LENGTH).default('').meta({
        description:
          "Required for the first account if `needsSetupCode` is true. Case, spaces and hyphens don't matter.",
      }),
    }),
  reply: () => z.object({ success: z.literal(true), result: z.string(), user: z.object({ id: userId, role }) }),
  errors: ['duplicate_login', 'signup_closed', 'wrong_setup_code', 'password_too_short', 'not_found', 'too_many'],
  maxBytes: SIGN_UP_MAX_BYTES,
  work: 'long',
});

export const logOut = defineCall({
  method: 'POST',
  path: '/user/api/logout',
  access: 'member',
  summary: 'End this session and its sockets.',
  body: () => z.object({ userId: userId.optional() }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: [],
});

export const verifyPassword = defineCall({
  method: 'POST',
  path: '/user/api/verifyPassword',
  access: 'member',
  summary:
    "Whether this is the signed-in user's own password. If so, this session may for five minutes do what asks for it. Limited like sign-in.",
  body: () =>
    z.object({
      id: userId.optional(),
      password,
      keep: z.boolean().default(false).meta({
        description: 'Whether `getPasswordProof` reports this proof, so that no screen asks again while it is valid.',
      }),
    }),
  reply: () => z.object({ success: z.literal(true), result: z.boolean() }),
  errors: ['too_many'],
  cost: 10,
  work: 'long',
});

export const getPasswordProof = defineCall({
  method: 'POST',
  path: '/user/api/getPasswordProof',
  access: 'member',
  summary:
    'Whether a screen may leave out asking for the own password: it was given within this session less than five minutes ago, with the wish not to be asked again.',
  body: () => z.object({}),
  reply: () => z.object({ success: z.literal(true), isKept: z.boolean() }),
  errors: [],
});

/** The browsers in which a session may have been opened. Proper names, the same in every language. */
export const SESSION_BROWSERS = ['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari', 'Samsung Internet'] as const;
export const SESSION_SYSTEMS = ['Android', 'ChromeOS', 'iOS', 'Linux', 'macOS', 'Windows'] as const;

export const userSession = onDemand(() =>
  z
    .object({
      id: z.uuid(),
      browser: z
        .enum(SESSION_BROWSERS)
        .nullable()
        .meta({ description: 'Null for programs other than these browsers.' }),
      system: z.enum(SESSION_SYSTEMS).nullable(),
      remember: z.boolean().meta({ description: "'Remember me'." }),
      createdAt: instant.meta({ description: 'The time of the sign-in.' }),
      ageMs: z.int().min(0).meta({ description: "The session's age when the server sent it, because clocks differ." }),
      isOwn: z.boolean().meta({ description: 'True for the session that makes this call.' }),
      isConnected: z.boolean().meta({ description: 'True while the session has a live socket.' }),
    })
    .meta({ description: 'A session of a user. It contains nothing with which somebody could use the session.' }),
);
export type UserSession = z.infer<ReturnType<typeof userSession>>;

export const getUserSessions = defineCall({
  method: 'POST',
  path: '/user/api/getUserSessions',
  access: 'member',
  summary: "A user's sessions, the newest first. Members may ask for their own only.",
  body: () => z.object({ userId }),
  reply: () => z.object({ success: z.literal(true), res: z.array(userSession()) }),
  errors: ['not_found'],
});

export const endSession = defineCall({
  method: 'POST',
  path: '/user/api/endSession',
  access: 'member',
  summary: 'End one session and close its sockets at once. Members may end their own only: others are not found.',
  body: () => z.object({ sessionId: z.uuid() }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: ['not_found'],
});

export const deleteUserTokens = defineCall({
  method: 'POST',
  path: '/user/api/deleteUserTokens/',
  access: 'member',
  summary: 'End every session of a user and close their sockets at once. Members may do so only to themselves.',
  body: () => z.object({ userId }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: ['not_found'],
});

export const getServerInfo = defineCall({
  method: 'GET',
  path: '/user/api/serverInfo',
  access: 'public',
  summary: 'What the sign-in and sign-up screens must know.',
  body: () => z.undefined(),
  reply: () =>
    z.object({
      version: z.string(),
      mode: z.enum(['production', 'development', 'test']),
      signup: z.enum(['open', 'closed']),
      isFirstUser: z
        .boolean()
        .meta({ description: 'True while there is no account: the first one becomes administrator.' }),
      needsSetupCode: z.boolean().meta({
        description: 'Whether that first account must give the code that the server printed when it started.',
      }),
      passwordMinLength: z.int(),
      address: z.string().nullable().meta({
        description:
          "The address at which other devices find this server: `PUBLIC_URL`, or an address in the local network. Null: the server doesn't know it, and the page uses its own address.",
      }),
      isSelfSigned: z
        .boolean()
        .meta({ description: 'True if the server made its certificate itself: browsers warn of it.' }),
    }),
  errors: [],
});
