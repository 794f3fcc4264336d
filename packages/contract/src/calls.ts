import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import { videoShown } from './presence.ts';
import { clientEvent, done, serverEvent } from './socket.ts';
import { instant } from './text.ts';
import { answerDescription, iceCandidate, linkName, offerDescription } from './voice.ts';
import { z } from './zod.ts';

/** The id of a one-to-one call (UUID v7, made by the server). */
export const callId = z.uuid().toLowerCase().brand<'CallId'>();
export type CallId = z.infer<typeof callId>;

/** What somebody who rejects a call may say with it. */
export const rejection = z.enum(['not_now', 'call_back', 'write_me']);
export type Rejection = z.infer<typeof rejection>;

/**
 * Why a call ended. `busy`: the one who is called is in another call. `no_answer`: it rang for CALL_RING_MS. `offline`: they
 * had no live socket. `cancelled`: the caller gave up while it rang. `lost`: a socket of the call, or the server, went away.
 */
export const callEnd = z.enum(['hung_up', 'rejected', 'busy', 'no_answer', 'offline', 'cancelled', 'lost']);
export type CallEnd = z.infer<typeof callEnd>;

/** Where two people can write to each other: a channel of both. */
export const writeIn = z.object({ channelId, name: z.string(), rtcSession: z.string() });
export type WriteIn = z.infer<typeof writeIn>;

/** One of the two; `id` is null when the account is gone. `display_name` is that of the time of the call. */
export const callParty = z.object({ id: userId.nullable(), display_name: z.string() });
export type CallParty = z.infer<typeof callParty>;

/** A call that its callee did not get to: it was neither accepted nor rejected. */
export const missedCall = z.object({ id: callId, caller: callParty, createdAt: instant });
export type MissedCall = z.infer<typeof missedCall>;

export const getMissedCalls = defineCall({
  method: 'POST',
  path: '/user/api/getMissedCalls',
  access: 'member',
  summary: "The caller's own missed calls that they have not seen yet: how many, and the newest of them, newest first.",
  body: z.object({}),
  reply: z.object({ success: z.literal(true), count: z.int(), res: z.array(missedCall) }),
  errors: [],
});

/** A call as one of its two sees it. */
export const ownCall = z.object({
  id: callId,
  other: callParty,
  /** By whom it was begun: the reader, or the other one. */
  isOwn: z.boolean(),
  createdAt: instant,
  /** From the taking to the end, ms; null for one that was not taken. */
  durationMs: z.int().min(0).nullable(),
  /** Null while it goes on. */
  end: callEnd.nullable(),
  rejection: rejection.nullable(),
});
export type OwnCall = z.infer<typeof ownCall>;

export const getCalls = defineCall({
  method: 'POST',
  path: '/user/api/getCalls',
  access: 'member',
  summary:
    "The caller's own one-to-one calls of the last 90 days, made, taken and missed, newest first: a page of them, from before the call named.",
  body: z.object({ before: callId.optional() }),
  reply: z.object({ success: z.literal(true), res: z.array(ownCall), hasMore: z.boolean() }),
  errors: [],
  cost: 2,
});

export const markCallsSeen = defineCall({
  method: 'POST',
  path: '/user/api/markCallsSeen',
  access: 'member',
  summary:
    'The caller has seen their missed calls, up to and with this one; all without one. Their badges end everywhere.',
  body: z.object({ callId: callId.optional() }),
  reply: z.object({ success: z.literal(true) }),
  errors: [],
});

/**
 * A signal between the two of an accepted call, as between participants of a room. `video`: what its sender shows from now
 * on, on the picture's track of the same connection; nothing at first (RING16).
 */
const callSignal = z.object({
  callId,
  link: linkName,
  signal: z.discriminatedUnion('type', [
    offerDescription,
    answerDescription,
    z.object({ type: z.literal('candidate'), candidate: iceCandidate }),
    z.object({ type: z.literal('video'), shows: videoShown }),
  ]),
});

export const callClientEvents = {
  /**
   * Rings at all devices of somebody who shares a channel with the caller, or of whom or whose caller is an administrator (RING1).
   * `over`: it ended at once.
   */
  call_start: clientEvent(z.object({ userId }), z.object({ callId, name: z.string(), over: callEnd.nullable() }), [
    'not_found',
    'in_a_call',
  ]),
  /** Takes a call that rings; the first of the callee's devices has it. `not_found`: it doesn't ring here (any more). */
  call_accept: clientEvent(z.object({ callId }), done, ['not_found']),
  /** Refuses a call that rings, on all devices. `not_found`: it doesn't ring here (any more). */
  call_reject: clientEvent(z.object({ callId, rejection: rejection.optional() }), done, ['not_found']),
  /**
   * Hangs up, or gives up while it rings. Of a call that is over, or of others, nothing happens. `isLost`: a device that lost its
   * link says so by its next one, before the server noticed; for that the session is enough.
   */
  call_end: clientEvent(z.object({ callId, isLost: z.boolean().optional() }), done),
  /** To the other one of an accepted call. `not_found`: there is none. */
  call_signal: clientEvent(callSignal, done, ['not_found']),
};

export const callServerEvents = {
  /**
   * To every device of who is called: it rings for so long at most. `canWrite`: the two share a channel, so that the caller can
   * follow a rejection with `write_me`.
   */
  call_ring: serverEvent(z.object({ callId, caller: callParty, ringMs: z.int(), canWrite: z.boolean() })),
  /** To the caller's device: the call was taken. Voice may flow both ways. */
  call_accepted: serverEvent(z.object({ callId })),
  /**
   * To the devices that know of a call. `elsewhere`: another device of the receiver took it. `writeIn`: after a rejection with
   * `write_me`, the smallest channel of which both are members.
   */
  call_over: serverEvent(
    z.object({
      callId,
      reason: z.enum([...callEnd.options, 'elsewhere']),
      rejection: rejection.nullable(),
      writeIn: writeIn.optional(),
    }),
  ),
  /** To the other one of an accepted call: a signal of its connection. */
  call_signal: serverEvent(callSignal),
  /** To every device of somebody: so many calls were missed and not seen. */
  missed_calls: serverEvent(z.object({ count: z.int() })),
};
