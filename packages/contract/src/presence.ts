import * as z from 'zod';
import { talkMode } from './channels.ts';
import { channelId, participantId, userId } from './ids.ts';
import { clientEvent, done, serverEvent } from './socket.ts';
import { role } from './users.ts';
import { floorSnapshot } from './voice.ts';

/** Somebody in a room: `id` is the socket's, `name` what tiles show, `role` decides who gives way on the floor. */
export const participant = z.object({ id: participantId, userId, name: z.string(), role });
export type Participant = z.infer<typeof participant>;

/** An entry of RTCConfiguration.iceServers. */
export const iceServer = z.object({
  urls: z.array(z.string()),
  username: z.string().optional(),
  credential: z.string().optional(),
});

/** How peers may find each other. Credentials are minted per session; `ttlSeconds` is how long they are good for. */
export const iceConfig = z.object({
  iceServers: z.array(iceServer),
  iceTransportPolicy: z.enum(['all', 'relay']),
  ttlSeconds: z.int(),
});
export type IceConfig = z.infer<typeof iceConfig>;

/** All that a client needs to be in a room; sent again on each join, so that state is re-read and never guessed. */
export const roomState = z.object({
  channel: z.object({ id: channelId, name: z.string(), rtcSession: z.string(), talkMode }),
  self: participant,
  /** Those who were there before, without self, in order of arrival: the newcomer makes an offer to each. */
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
  /** Fresh ICE servers before the minted credentials end. */
  ice_config: clientEvent(z.object({}), iceConfig),
};

export const presenceServerEvents = {
  /** To the newcomer: who was there before. */
  all_users: serverEvent(z.array(participant)),
  /** To everyone in the room: who is there now. */
  usersInThisRoom: serverEvent(z.array(participant)),
  'user joined': serverEvent(participant),
  user_exit: serverEvent(z.object({ id: participantId })),
  /** To administrators and to members who share a channel with that user: a first socket came up. */
  userConnected: serverEvent(z.object({ userId })),
  /** A socket of the user came, went or changed its room. `channelId` is null when in no room. */
  onUserStatusChanged: serverEvent(
    z.object({
      userId,
      channelId: channelId.nullable(),
      previousChannelId: channelId.nullable(),
      connected: z.boolean(),
    }),
  ),
  /** The receiver's socket was taken out of its room, and why. */
  room_closed: serverEvent(z.object({ channelId, reason: z.enum(['removed', 'deleted', 'signed_out']) })),
  /** Lists that show this kind of thing should be read again. Sent only to those who may see it. */
  changed: serverEvent(
    z.object({ what: z.enum(['channels', 'users', 'memberships']), channelId: channelId.optional() }),
  ),
};
