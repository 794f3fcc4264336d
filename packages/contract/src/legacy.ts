/**
 * The rest of an earlier product (spec §7, legacy calls), with its own paths and payloads. Everybody reads only what is theirs,
 * administrators too.
 */
import { defineCall } from './call.ts';
import { callEnd, callId, callParty, rejection } from './calls.ts';
import { userId } from './ids.ts';
import { instant } from './text.ts';
import { z } from './zod.ts';

export const macAddress = z
  .string()
  .max(32)
  .transform((text) => text.trim().toLowerCase().replace(/[:-]/gu, ''))
  .refine((text) => /^[0-9a-f]{12}$/u.test(text), { message: 'mac_address' })
  .transform((text) => text.replace(/(..)(?!$)/gu, '$1:'))
  .meta({
    description:
      'Six pairs of hexadecimal digits with colons, hyphens or nothing between them; kept as `aa:bb:cc:dd:ee:ff`.',
  });

export const callEvent = z
  .object({
    id: z.uuid(),
    callId,
    type: z.enum(['ring', 'accept', 'end']),
    createdAt: instant,
    caller: callParty(),
    callee: callParty(),
    reason: callEnd.nullable(),
    rejection: rejection.nullable(),
  })
  .meta({ description: 'Something that happened to a one-to-one call. Only its end has `reason` and `rejection`.' });

export const friend = z
  .object({
    id: userId,
    firstName: z.string(),
    lastName: z.string(),
    pseudo: z.string(),
    display_name: z.string(),
    createdAt: instant,
    lastCallAt: instant,
  })
  .meta({ description: 'Somebody whom the user called, or who took a call with them.' });

export const legacyInvitation = z.object({
  id: z.uuid(),
  from: callParty(),
  to: callParty(),
  state: z.enum(['pending', 'accepted', 'declined']),
  createdAt: instant,
});

export const materialType = z.object({ id: z.uuid(), name: z.string() });

// Specification §3.
export const device = z
  .object({
    id: z.uuid(),
    display_name: z.string(),
    macAddress: z.string(),
    type: materialType.nullable(),
    manufacturer: z.string(),
    productRef: z.string(),
    createdAt: instant,
  })
  .meta({ description: 'A device.' });

const listOf = <Row extends z.ZodType>(row: Row) => z.object({ success: z.literal(true), res: z.array(row) });

export const getSentInvitation = defineCall({
  method: 'POST',
  path: '/user/api/getSentInvitation',
  access: 'member',
  summary: 'The invitations that the caller sent, newest first.',
  body: () => z.object({ aUserId: userId }),
  reply: () => listOf(legacyInvitation),
  errors: [],
});

export const getInvitationList = defineCall({
  method: 'POST',
  path: '/user/api/getinvitationlists',
  access: 'member',
  summary: 'The invitations that the caller got, newest first.',
  body: () => z.object({ idUser: userId }),
  reply: () => listOf(legacyInvitation),
  errors: [],
});

export const getFriendList = defineCall({
  method: 'POST',
  path: '/user/api/getmyfriendlists',
  access: 'member',
  summary: 'The people with whom the caller was in touch by one-to-one calls, the last call first.',
  body: () => z.object({ idUser: userId }),
  reply: () => listOf(friend),
  errors: [],
});

export const getUserCallEvents = defineCall({
  method: 'POST',
  path: '/user/api/getUserCallEvents',
  access: 'member',
  summary: "The newest events of the caller's own one-to-one calls, newest first; a thousand at most.",
  body: () => z.object({ userId }),
  reply: () => listOf(callEvent),
  errors: [],
});

export const getUserEndCallEvents = defineCall({
  method: 'POST',
  path: '/user/api/getUserEndCallEventsByCallId',
  access: 'member',
  summary: 'How a one-to-one call of the caller ended; empty while it goes on.',
  body: () => z.object({ callId }),
  reply: () => listOf(callEvent),
  errors: ['not_found'],
});

export const getAllMaterialTypes = defineCall({
  method: 'GET',
  path: '/device/getAllMaterialTypes/',
  access: 'member',
  summary: 'The types of devices, by name.',
  body: () => z.undefined(),
  reply: () => listOf(materialType),
  errors: [],
});

export const getDeviceByMacAddress = defineCall({
  method: 'POST',
  path: '/device/getDeviceByMacAddress',
  access: 'member',
  summary: 'A device by its address; null for one that is unknown or, for members, not theirs.',
  body: () => z.object({ macAddress }),
  reply: () => z.object({ success: z.literal(true), res: device.nullable() }),
  errors: [],
});
