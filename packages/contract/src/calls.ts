import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import { videoShown } from './presence.ts';
import { clientEvent, done, serverEvent } from './socket.ts';
import { instant } from './text.ts';
import { answerDescription, iceCandidate, linkName, offerDescription } from './voice.ts';
import { onDemand, z } from './zod.ts';

export const callId = z
  .uuid()
  .toLowerCase()
  .brand<'CallId'>()
  .meta({ description: 'The id of a one-to-one call (UUID v7, made by the server).' });
export type CallId = z.infer<typeof callId>;

export const rejection = z
  .enum(['not_now', 'call_back', 'write_me'])
  .meta({ description: 'The replies from which somebody who rejects a call may choose.' });
export type Rejection = z.infer<typeof rejection>;

export const callEnd = z.enum(['hung_up', 'rejected', 'busy', 'no_answer', 'offline', 'cancelled', 'lost']).meta({
  description:
    'Why a call ended. `busy`: the callee is in another call. `no_answer`: it rang for CALL_RING_MS. `offline`: the callee had no live socket. `cancelled`: the caller gave up while it rang. `lost`: one of the two lost its link, or the server went away, and the device did not come back in time.',
});
export type CallEnd = z.infer<typeof callEnd>;

export const writeIn = onDemand(() =>
  z
    .object({ channelId, name: z.string(), rtcSession: z.string() })
    .meta({ description: 'A channel of both, in which the two people can write to each other.' }),
);
export type WriteIn = z.infer<ReturnType<typeof writeIn>>;

export const callParty = onDemand(() =>
  z.object({ id: userId.nullable(), display_name: z.string() }).meta({
    description:
      'One of the two people in a call; `id` is null when the account is gone. `display_name` is the name at the time of the call.',
  }),
);
export type CallParty = z.infer<ReturnType<typeof callParty>>;

export const missedCall = onDemand(() =>
  z
    .object({ id: callId, caller: callParty(), createdAt: instant })
    .meta({ description: 'A call that its callee did not get to: it was neither accepted nor rejected.' }),
);
export type MissedCall = z.infer<ReturnType<typeof missedCall>>;

export const getMissedCalls = defineCall({
  method: 'POST',
  path: '/user/api/getMissedCalls',
  access: 'member',
  summary: "The caller's own missed calls that they have not seen yet: how many, and the newest of them, newest first.",
  body: () => z.object({}),
  reply: () => z.object({ success: z.literal(true), count: z.int(), res: z.array(missedCall()) }),
  errors: [],
});

export const ownCall = onDemand(() =>
  z
    .object({
      id: callId,
      other: callParty(),
      isOwn: z.boolean().meta({ description: 'True if the reader called, false if the other party did.' }),
      createdAt: instant,
      durationMs: z
        .int()
        .min(0)
        .nullable()
        .meta({ description: 'The time from the taking of the call to its end, ms; null if nobody took it.' }),
      end: callEnd.nullable().meta({ description: 'Null while it goes on.' }),
      rejection: rejection.nullable(),
    })
    .meta({ description: 'A call as one of its two parties sees it.' }),
);
export type OwnCall = z.infer<ReturnType<typeof ownCall>>;

export const getCalls = defineCall({
  method: 'POST',
  path: '/user/api/getCalls',
  access: 'member',
  summary:
    "The caller's own one-to-one calls of the last 90 days, made, taken and missed, newest first: a page of them, from before the call named.",
  body: () => z.object({ before: callId.optional() }),
  reply: () => z.object({ success: z.literal(true), res: z.array(ownCall()), hasMore: z.boolean() }),
  errors: [],
  cost: 2,
});

export const markCallsSeen = defineCall({
  method: 'POST',
  path: '/user/api/markCallsSeen',
  access: 'member',
  summary:
    'The caller has seen their missed calls, up to and with this one; all without one. Their badges end everywhere.',
  body: () => z.object({ callId: callId.optional() }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: [],
});

// Rule RING16.
const callSignal = onDemand(() =>
  z
    .object({
      callId,
      link: linkName(),
      signal: z.discriminatedUnion('type', [
        offerDescription(),
        answerDescription(),
        z.object({ type: z.literal('candidate'), candidate: iceCandidate() }),
        z.object({ type: z.literal('video'), shows: videoShown }),
      ]),
    })
    .meta({
      description:
        "A signal between the two parties of an accepted call, as between participants of a room. `video`: what its sender shows from now on, on the picture's track of the same connection; nothing at first.",
    }),
);

export const callClientEvents = {
  // Rule RING1.
  call_start: clientEvent(
    () =>
      z.object({ userId }).meta({
        description:
          'Rings at all devices of a user. The two share a channel, or one of them is an administrator. `over`: the call ended at once.',
      }),
    () => z.object({ callId, name: z.string(), over: callEnd.nullable() }),
    ['not_found', 'in_a_call'],
  ),
  call_accept: clientEvent(
    () =>
      z.object({ callId }).meta({
        description:
          "Takes a ringing call; the first of the callee's devices to do so gets it. `not_found`: it doesn't ring here (any more).",
      }),
    () => done,
    ['not_found'],
  ),
  call_reject: clientEvent(
    () =>
      z
        .object({ callId, rejection: rejection.optional() })
        .meta({ description: "Refuses a ringing call, on all devices. `not_found`: it doesn't ring here (any more)." }),
    () => done,
    ['not_found'],
  ),
  call_end: clientEvent(
    () =>
      z.object({ callId, isLost: z.boolean().optional() }).meta({
        description:
          'Hangs up, or gives up while it rings. Nothing happens if the call is over, or is between others. `isLost`: a device that lost its link reports it over its next link, before the server noticed; for that, the same session is enough.',
      }),
    () => done,
  ),
  // Rule RING8.
  call_resume: clientEvent(
    () =>
      z.object({ callId }).meta({
        description:
          'A device that lost its link goes on with its accepted call over its next link, within RESUME_MS; the same session is enough. `not_found`: there is no such call (any more); if it ended meanwhile, `call_over` says before the answer how.',
      }),
    () => done,
    ['not_found'],
  ),
  call_signal: clientEvent(
    () =>
      callSignal().meta({
        description: 'Sends a signal to the other party of an accepted call. `not_found`: there is no such call.',
      }),
    () => done,
    ['not_found'],
  ),
};

export const callServerEvents = {
  call_ring: serverEvent(() =>
    z.object({ callId, caller: callParty(), ringMs: z.int(), canWrite: z.boolean() }).meta({
      description:
        'To every device of the callee: a call rings, for `ringMs` at most. `canWrite`: the two share a channel, so that the caller can follow a rejection with `write_me`.',
    }),
  ),
  call_accepted: serverEvent(() =>
    z.object({ callId }).meta({ description: "To the caller's device: the call was taken. Voice may flow both ways." }),
  ),
  // Rule RING23.
  call_resumed: serverEvent(() =>
    z.object({ callId }).meta({
      description:
        "To the other party's device: the one that had lost its link goes on with the call. Tell it again what you show; it may have missed a change.",
    }),
  ),
  call_over: serverEvent(() =>
    z
      .object({
        callId,
        reason: z.enum([...callEnd.options, 'elsewhere']),
        rejection: rejection.nullable(),
        writeIn: writeIn().optional(),
      })
      .meta({
        description:
          'To the devices that know of a call: it is over for them. `elsewhere`: another device of the receiver took it. `writeIn`: after a rejection with `write_me`, the smallest channel of which both are members.',
      }),
  ),
  call_signal: serverEvent(() =>
    callSignal().meta({ description: 'To the other party of an accepted call: a signal of its connection.' }),
  ),
  missed_calls: serverEvent(() =>
    z
      .object({ count: z.int() })
      .meta({ description: 'To every device of a user: how many missed calls they have not seen.' }),
  ),
};
