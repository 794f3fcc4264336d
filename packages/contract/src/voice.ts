import { defineCall } from './call.ts';
import { talkMode } from './channels.ts';
import { channelId, participantId, userId } from './ids.ts';
import {
  CANDIDATE_MAX_LENGTH,
  LAST_TALKS,
  ROOM_PROOF_MAX_LENGTH,
  ROOMS_MAX,
  SDP_MAX_LENGTH,
  SIGNATURE_MAX_LENGTH,
} from './limits.ts';
import { clientEvent, done, forGuests, forRooms, inRoom, serverEvent } from './socket.ts';
import { onDemand, z } from './zod.ts';

const seq = onDemand(() =>
  z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description:
      'Number of a press or release. The client counts from 1 in each room, for as long as its participant exists.',
  }),
);
const version = onDemand(() =>
  z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ description: 'The version of a floor, which counts its changes.' }),
);
export const requestSeq = onDemand(() =>
  seq()
    .max(2 ** 50)
    .meta({
      description:
        'Number of a press. It is far below the largest safe integer, so that a higher number is always left for the release.',
    }),
);

export const talker = onDemand(() =>
  z
    .object({
      id: participantId,
      userId,
      name: z.string(),
      talkingMs: z.int(),
      remainingMs: z.int().meta({ description: 'Time until the stop-talking timer ends.' }),
    })
    .meta({
      description: 'A participant who has the floor. Times are spans in ms, never clock readings: clocks differ.',
    }),
);
export type Talker = z.infer<ReturnType<typeof talker>>;

export const floorSnapshot = onDemand(() =>
  z
    .object({
      channelId,
      version: z.int(),
      mode: talkMode,
      talkers: z.array(talker()),
      queue: z.array(participantId).meta({ description: 'Waiting participants, next in line first.' }),
    })
    .meta({
      description:
        'The floor of a channel as everyone in its room sees it. No talkers: idle; some: taken. `version` grows with each change, also across restarts of the server, so that a client can discard an older snapshot that arrives late.',
    }),
);
export type FloorSnapshot = z.infer<ReturnType<typeof floorSnapshot>>;

// Rules TALK115, TALK150.
export const floorNews = onDemand(() =>
  floorSnapshot()
    .extend({
      signedAt: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
      signature: z.string().max(SIGNATURE_MAX_LENGTH),
    })
    .meta({
      description:
        "The floor with the server's signature of `floorText` (ECDSA P-256 with SHA-256, IEEE P1363 form, base64url). Participants can pass it on to each other: the signature shows that it comes from the server. After a restart the server trusts it too. The public key is in the answer to the join. `signedAt` is the server's clock in ms. Clients pass it on, and compare it only with other `signedAt`s.",
    }),
);
export type FloorNews = z.infer<ReturnType<typeof floorNews>>;

/** The text that a floor's signature is made of: the floor's values in a fixed order, as JSON in UTF-8. */
export const floorText = (floor: Omit<FloorNews, 'signature'>): string =>
  JSON.stringify([
    ...[floor.channelId, floor.version, floor.mode, floor.queue, floor.signedAt],
    floor.talkers.map((one) => [one.id, one.userId, one.name, one.talkingMs, one.remainingMs]),
  ]);

export const pastTalk = onDemand(() =>
  z
    .object({
      id: participantId,
      name: z.string(),
      beganMsAgo: z.int().min(0),
      endedMsAgo: z.int().min(0),
    })
    .meta({ description: 'A talk that has ended. Its times are spans in ms before the answer that lists it.' }),
);
export type PastTalk = z.infer<ReturnType<typeof pastTalk>>;

export const loggedTalk = onDemand(() =>
  z
    .object({
      userId: userId.meta({ description: 'The id of an account or a guest, which may be gone by now.' }),
      name: z.string().meta({ description: "The talker's name at that time." }),
      beganMsAgo: z.int().min(0),
      endedMsAgo: z.int().min(0),
      talkMs: z.int().min(0).meta({
        description: 'How long the person talked. Of several talks it is the sum, without the pauses between them.',
      }),
      talks: z.int().min(1),
    })
    .meta({
      description:
        'One entry of the activity log: a talk, or several talks of one person. Its times are spans in ms before the answer that lists it.',
    }),
);
export type LoggedTalk = z.infer<ReturnType<typeof loggedTalk>>;

// Rules TALK28, TALK15.
export const denyReason = z.enum(['taken', 'queue_full', 'elsewhere', 'stale', 'not_in_room']).meta({
  description:
    'Why the server denies a request. `taken`: somebody talks, and the request asked not to be queued. `queue_full`: too many participants wait. `elsewhere`: the user talks or waits on another page or device. `stale`: a later press or release arrived first. `not_in_room`: the participant is not in the room.',
});
export type DenyReason = z.infer<typeof denyReason>;
export const revokeReason = z.enum(['preempted', 'time_limit', 'lease_expired', 'mode_changed', 'left']).meta({
  description:
    "Why the server ended a claim. `preempted`: an administrator took the floor. `time_limit`: the talk reached its limit. `lease_expired`: the client didn't renew the lease. `mode_changed`: the channel now has one talker at a time. `left`: the participant left the room.",
});
export type RevokeReason = z.infer<typeof revokeReason>;

export const floorReply = onDemand(() =>
  z
    .discriminatedUnion('type', [
      z.object({
        type: z.literal('granted'),
        channelId,
        seq: seq(),
        talkMs: z.int().meta({ description: 'Time until the stop-talking timer ends.' }),
        leaseMs: z.int().meta({ description: 'How long the claim lasts from its last renewal.' }),
      }),
      z.object({ type: z.literal('queued'), channelId, seq: seq(), position: z.int().min(1), size: z.int().min(1) }),
      z.object({
        type: z.literal('denied'),
        channelId,
        seq: seq(),
        reason: denyReason,
        talkerName: z.string().optional(),
      }),
      z.object({
        type: z.literal('revoked'),
        channelId,
        seq: seq(),
        reason: revokeReason,
        byName: z.string().optional(),
      }),
      z.object({ type: z.literal('released'), channelId, seq: seq() }),
    ])
    .meta({
      description:
        "The server's answer to one participant about its own request, in the terms of 3GPP TS 24.380 §6.3: Floor Granted, Floor Queue Position Info, Floor Deny, Floor Revoke, Floor Release. `seq` is the request's.",
    }),
);
export type FloorReply = z.infer<ReturnType<typeof floorReply>>;

const description = <T extends 'offer' | 'answer'>(type: T) =>
  z.object({ type: z.literal(type), sdp: z.string().max(SDP_MAX_LENGTH) });
export const offerDescription = onDemand(() => description('offer'));
export const answerDescription = onDemand(() => description('answer'));

export const iceCandidate = onDemand(() =>
  z
    .object({
      candidate: z.string().max(CANDIDATE_MAX_LENGTH),
      sdpMid: z.string().max(64).nullish(),
      sdpMLineIndex: z.int().min(0).max(64).nullish(),
      usernameFragment: z.string().max(256).nullish(),
    })
    .nullable()
    .meta({ description: 'RTCIceCandidateInit, or null for the end of candidates.' }),
);

export const linkName = onDemand(() =>
  z.string().min(1).max(64).optional().meta({
    description:
      'Identifies one peer connection between two participants, so that signals of a replaced one can be discarded.',
  }),
);

export const updateUserMicState = defineCall({
  method: 'POST',
  path: '/user/api/updateUserMicState/',
  access: 'member',
  summary:
    "Report that the microphone of the caller's client was switched on or off in a room. A client that never sends floor_request requests and releases the floor by this call, as by micStateChange. For other clients it changes nothing.",
  body: () =>
    z.object({
      userId: userId.optional(),
      micState: z.boolean(),
      channelName: z.string().min(1).max(1000).meta({ description: "The channel's name or rtcSession." }),
    }),
  reply: () =>
    z
      .object({ success: z.literal(true), floor: floorReply().nullable() })
      .meta({ description: '`floor`: the answer to the request or release; null if the client uses floor_request.' }),
  errors: ['not_in_room'],
});

export const roomBeat = onDemand(() =>
  z
    .object({ channelId, version: version() })
    .meta({ description: "The newest version of a room's floor that a client has." }),
);
export type RoomBeat = z.infer<ReturnType<typeof roomBeat>>;

export const voiceClientEvents = forRooms({
  // Rule LINK11.
  offer: forGuests(
    clientEvent(
      () =>
        z.object({ sdp: offerDescription(), offerReceiveID: participantId, link: linkName() }).meta({
          description:
            'Passes a session description on to another participant in a common room. One person may send each participant 20 at once, and then one a second.',
        }),
      () => done,
    ),
  ),
  answer: forGuests(
    clientEvent(
      () =>
        z
          .object({ sdp: answerDescription(), answerReceiveID: participantId, link: linkName() })
          .meta({ description: 'Answers an offer, with the same `link`.' }),
      () => done,
    ),
  ),
  // Rule LINK13.
  candidate: forGuests(
    clientEvent(
      () =>
        z.object({ candidate: iceCandidate(), candidateReceiveID: participantId, link: linkName() }).meta({
          description:
            'Passes an ICE candidate on to another participant. One person may send each participant 1,200 at once, and then 100 a second.',
        }),
      () => done,
    ),
  ),
  floor_request: forGuests(
    clientEvent(
      () =>
        inRoom({ seq: requestSeq(), queue: z.boolean().default(true) }).meta({
          description: 'Floor Request. With `queue` false a busy floor answers denied instead of queued.',
        }),
      floorReply,
    ),
  ),
  floor_release: forGuests(
    clientEvent(
      () => inRoom({ seq: seq() }).meta({ description: 'Floor Release; also leaves the queue.' }),
      floorReply,
    ),
  ),
  floor_renew: forGuests(
    clientEvent(
      () =>
        inRoom({ seq: seq() }).meta({
          description: "Renews the lease on the floor or on a place in its queue. `seq` is the request's.",
        }),
      () => done,
    ),
  ),
  // Rule TALK100.
  beat: forGuests(
    clientEvent(
      () =>
        z.union([inRoom({ version: version() }), z.object({ rooms: z.array(roomBeat()).min(1).max(ROOMS_MAX) })]).meta({
          description:
            'The heartbeat of a client in a room, every BEAT_MS. `version` is the newest version of the floor that the client has. If the server has another version, the answer contains the floor. With `rooms`, one beat serves several rooms: the answer has the changed `floors`, and in `outside` the rooms that the participant is not in.',
        }),
      () =>
        z.object({
          floor: floorNews().optional(),
          floors: z.array(floorNews()).optional(),
          outside: z.array(channelId).optional(),
        }),
    ),
  ),
  // Rule TALK105.
  talks_since: forGuests(
    clientEvent(
      () =>
        inRoom({ stay: z.string().max(ROOM_PROOF_MAX_LENGTH), version: version() }).meta({
          description:
            "Asks for the ended talks of other participants that began after a version of the floor, oldest first. `stay` is the proof from the answer to the join. Null: the server doesn't remember them.",
        }),
      () => z.object({ talks: z.array(pastTalk()).nullable() }),
    ),
  ),
  // Rule TALK130.
  last_talks: clientEvent(
    () =>
      inRoom({}).meta({
        description:
          "Asks for the last ended talks of the room's channel, newest first. They include talks from before the participant came, and from before the server started. Guests can't ask. A client may ask five times at once, and then once in two seconds; beyond that the error is `too_many`.",
      }),
    () => z.object({ talks: z.array(loggedTalk()).max(LAST_TALKS) }),
  ),
  micStateChange: clientEvent(
    () =>
      inRoom({ id: z.string().max(64).optional(), micState: z.boolean().optional() }).meta({
        description:
          'For clients that never send floor_request: true requests the floor, false releases it. Without a state, it does the opposite of the last time. `id` is accepted and ignored.',
      }),
    floorReply,
  ),
});

export const voiceServerEvents = {
  getOffer: forGuests(
    serverEvent(() =>
      z
        .object({ sdp: offerDescription(), offerSendID: participantId, link: linkName() })
        .meta({ description: "To one participant: another one's offer." }),
    ),
  ),
  getAnswer: forGuests(
    serverEvent(() =>
      z
        .object({ sdp: answerDescription(), answerSendID: participantId, link: linkName() })
        .meta({ description: 'To one participant: the answer to its offer.' }),
    ),
  ),
  getCandidate: forGuests(
    serverEvent(() =>
      z
        .object({ candidate: iceCandidate(), candidateSendID: participantId, link: linkName() })
        .meta({ description: 'To one participant: an ICE candidate of another one.' }),
    ),
  ),
  floor_changed: forGuests(
    serverEvent(() => floorNews().meta({ description: 'To everyone in the room, at each change of the floor.' })),
  ),
  floor_reply: forGuests(
    serverEvent(() =>
      floorReply().meta({
        description: 'To one participant: the state of its request changed after the request was answered.',
      }),
    ),
  ),
  talkers_changed: serverEvent(() =>
    z.object({ channelId, talkers: z.array(z.object({ userId, name: z.string() })) }).meta({
      description:
        'To administrators and members of the channel who are not in its room: everyone who talks there now.',
    }),
  ),
  onMicStateChanged: forGuests(
    serverEvent(() =>
      z
        .object({ id: participantId, userId, channelId, micState: z.boolean() })
        .meta({ description: 'To everyone in the room: a participant got or lost the floor.' }),
    ),
  ),
};
