import * as z from 'zod';
import { talkMode } from './channels.ts';
import { channelId, participantId, userId } from './ids.ts';
import { clientEvent, done, serverEvent } from './socket.ts';
import { role } from './users.ts';
import { floorSnapshot } from './voice.ts';

/** A participant: `id` is the socket's, `name` the display name, `role` the priority on the floor. */
export const participant = z.object({ id: participantId, userId, name: z.string(), role });
export type Participant = z.infer<typeof participant>;

/** An entry of RTCConfiguration.iceServers. */
export const iceServer = z.object({
  urls: z.array(z.string()),
  username: z.string().optional(),
  credential: z.string().optional(),
});

/** ICE configuration. Credentials are created per session and expire after `ttlSeconds`. */
export const iceConfig = z.object({
  iceServers: z.array(iceServer),
  iceTransportPolicy: z.enum(['all', 'relay']),
  ttlSeconds: z.int(),
});
export type IceConfig = z.infer<typeof iceConfig>;

/** The complete state of a room for a client, sent on each join, including rejoins after a lost link. */
export const roomState = z.object({
  channel: z.object({ id: channelId, name: z.string(), rtcSession: z.string(), talkMode }),
  self: participant,
  /** The others, in order of arrival: the newcomer makes an offer to each. */
  participants: z.array(participant),
  floor: floorSnapshot,
  ice: iceConfig,
});
export type RoomState = z.infer<typeof roomState>;

export const presenceClientEvents = {
  /** `room` is the channel's rtcSession. `name` is accepted and ignored: names come from the account. */
  join_room: clientEvent(
    z.object({ room: z.string().min(1).max(1000), name: z.string().max(1000).optional() }),
    roomState,
  ),
  leave_room: clientEvent(z.object({}), done),
  /** New ICE servers, requested before the credentials expire. */
  ice_config: clientEvent(z.object({}), iceConfig),
};

export const presenceServerEvents = {
  /** To the newcomer: the other participants. */
  all_users: serverEvent(z.array(participant)),
  /** To everyone in the room: all participants. */
  usersInThisRoom: serverEvent(z.array(participant)),
  'user joined': serverEvent(participant),
  user_exit: serverEvent(z.object({ id: participantId })),
  /** To administrators and members of a common channel: the user's first socket connected. */
  userConnected: serverEvent(z.object({ userId })),
  /** A socket of the user connected, disconnected or changed its room. `channelId` is null when in no room. */
  onUserStatusChanged: serverEvent(
    z.object({
      userId,
      channelId: channelId.nullable(),
      previousChannelId: channelId.nullable(),
      connected: z.boolean(),
    }),
  ),
  /** The receiver's socket was removed from its room, and why. */
  room_closed: serverEvent(z.object({ channelId, reason: z.enum(['removed', 'deleted', 'signed_out']) })),
  /** Lists of these objects should be read again. Sent only to users who may see the change. */
  changed: serverEvent(
    z.object({ what: z.enum(['channels', 'users', 'memberships']), channelId: channelId.optional() }),
  ),
};
