import { defineCall } from './call.ts';
import { channelId } from './ids.ts';
import { GUEST_LINK_HOURS, GUEST_LINK_NAME_MAX_LENGTH, GUEST_NAME_MAX_LENGTH } from './limits.ts';
import { instant, lineText } from './text.ts';
import { onDemand, z } from './zod.ts';

export const guestLinkId = z
  .uuid()
  .toLowerCase()
  .brand<'GuestLinkId'>()
  .meta({ description: "A guest link's id (UUID v7, made by the server)." });
export type GuestLinkId = z.infer<typeof guestLinkId>;

export const guestId = z.uuid().toLowerCase().brand<'GuestId'>().meta({
  description:
    "A guest's id, made by the server for one visit. It is never a user's id. Participants who are guests have it as `userId`.",
});
export type GuestId = z.infer<typeof guestId>;

const secret = onDemand(() =>
  z
    .string()
    .min(1)
    .max(256)
    .meta({ description: 'The secret of a link, and the token of a guest: 256 random bits in base64url.' }),
);

/** The fragment of a guest's address: `/join/{rtcSession}#guest={token}`. Browsers send fragments to no server. */
export const GUEST_FRAGMENT = 'guest=';

export const guestLinkName = onDemand(() =>
  lineText(GUEST_LINK_NAME_MAX_LENGTH).meta({
    description:
      'The name of a link, which says whom it is for and labels its guests. One line, without invisible characters.',
  }),
);
export const guestName = onDemand(() =>
  lineText(GUEST_NAME_MAX_LENGTH).meta({
    description: 'The name that a guest chooses. One line, without invisible characters.',
  }),
);

export const guestLinkState = z
  .enum(['open', 'expired', 'withdrawn'])
  .meta({ description: '`withdrawn`: by an administrator, or because its maker is no longer one.' });
export type GuestLinkState = z.infer<typeof guestLinkState>;

export const guestLink = onDemand(() =>
  z
    .object({
      id: guestLinkId,
      channelId,
      name: z.string(),
      state: guestLinkState,
      createdAt: instant,
      createdBy: z.string().meta({ description: 'The display name of the administrator who made it.' }),
      expiresAt: instant,
      lastUsedAt: instant
        .nullable()
        .meta({ description: 'The last time that somebody entered by it; null: nobody has.' }),
      guests: z
        .array(z.object({ id: guestId, name: z.string(), since: instant }))
        .meta({ description: 'The guests who are in the room by this link now, in order of arrival.' }),
    })
    .meta({
      description: "A link as administrators see it. Its token is not among the fields: the server doesn't know it.",
    }),
);
export type GuestLink = z.infer<ReturnType<typeof guestLink>>;

export const createGuestLink = defineCall({
  method: 'POST',
  path: '/user/api/createGuestLink',
  access: 'admin',
  summary:
    "Make a link by which people without an account enter one channel's room, until it expires or is withdrawn. Its token is told this once.",
  body: () => z.object({ channelId, name: guestLinkName(), hours: z.literal(GUEST_LINK_HOURS) }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: guestLink(),
      path: z.string().meta({ description: 'The address without scheme and host.' }),
    }),
  errors: ['not_found', 'guest_links_full'],
});

export const getGuestLinks = defineCall({
  method: 'POST',
  path: '/user/api/getGuestLinks',
  access: 'admin',
  summary:
    "A channel's guest links, the newest first, with those who are in by them: all that are open, and those that ended within the last seven days.",
  body: () => z.object({ channelId }),
  reply: () => z.object({ success: z.literal(true), res: z.array(guestLink()) }),
  errors: ['not_found'],
});

export const withdrawGuestLink = defineCall({
  method: 'POST',
  path: '/user/api/withdrawGuestLink',
  access: 'admin',
  summary: 'End a guest link. Whoever is in by it is out at once. One that has ended already stays as it is.',
  body: () => z.object({ linkId: guestLinkId }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: ['not_found'],
});

export const invitation = onDemand(() =>
  z
    .discriminatedUnion('state', [
      z.object({
        state: z.literal('open'),
        name: z.string(),
        channelName: z.string(),
        rtcSession: z.string(),
        expiresAt: instant,
      }),
      z.object({ state: z.enum(['expired', 'withdrawn', 'unknown']) }),
    ])
    .meta({
      description:
        "A link as a guest's page may know it before they enter. If the link has ended, nothing about the channel is told.",
    }),
);
export type Invitation = z.infer<ReturnType<typeof invitation>>;

export const getInvitation = defineCall({
  method: 'POST',
  path: '/user/api/getInvitation',
  access: 'public',
  summary: 'Whether a guest link still opens a room, and which. One that does not is an answer, not an error.',
  body: () => z.object({ token: secret() }),
  reply: () => z.object({ success: z.literal(true), res: invitation() }),
  errors: [],
});

export const enterAsGuest = defineCall({
  method: 'POST',
  path: '/user/api/enterAsGuest',
  access: 'public',
  summary:
    "Open a guest's session by a link: for its channel's room alone, by `join_room` of a socket with the guest's token. Limited per link and per address.",
  body: () => z.object({ token: secret(), name: guestName() }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.object({
        id: guestId,
        displayName: z.string().meta({ description: "The name that the others see: the guest's name and the link's." }),
        guestToken: secret(),
        channelId,
        rtcSession: z.string(),
        expiresAt: instant,
      }),
    }),
  errors: ['guest_link_over', 'guest_link_full'],
});

export const leaveAsGuest = defineCall({
  method: 'POST',
  path: '/user/api/leaveAsGuest',
  access: 'guest',
  summary: "End the caller's own visit as a guest, and its sockets.",
  body: () => z.object({}),
  reply: () => z.object({ success: z.literal(true) }),
  errors: [],
});
