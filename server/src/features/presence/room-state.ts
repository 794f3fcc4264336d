import { createHmac } from 'node:crypto';
import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import type { IceConfig, Participant, RoomState, VideoShown } from '@pressel/contract/presence';
import type { FloorNews } from '@pressel/contract/voice';
import { fullName } from '#src/accounts/present-user.ts';
import type { Session } from '#src/accounts/session.ts';
import type { PhotoPaths } from '#src/http/signed-paths.ts';
import type { ChannelState } from '#src/processes/facts.ts';
import type { LiveParticipant, Sockets } from '#src/sockets/sockets.ts';
import { asGuestsSee, learnNames, nameBehind, photoOf, silenceOf, tellOfParticipant } from './names.ts';
import { nameOf, type Occupant } from './presence.repository.ts';
import type { StatusNewsPublisher } from './status-news.ts';

export interface IceSettings {
  stunUrls: readonly string[];
  turnUrls: readonly string[];
  turnSecret: string | null;
  policy: 'all' | 'relay';
}

/** How long minted credentials are good for. The relay checks them at each refresh, so clients renew before. */
const TTL_SECONDS = 3_600;

/**
 * ICE servers for one session. The relay's credentials are time-limited in the way that coturn's `use-auth-secret`
 * checks: user name `expiry:user`, password the base64 HMAC-SHA1 of it (draft-uberti-behave-turn-rest-00 §2.2).
 */
export function mintIceConfig(settings: IceSettings, userId: string, now: Date): IceConfig {
  const iceServers: IceConfig['iceServers'] = [];
  if (settings.stunUrls.length > 0) iceServers.push({ urls: [...settings.stunUrls] });
  if (settings.turnUrls.length > 0 && settings.turnSecret !== null) {
    const username = `${Math.floor(now.getTime() / 1000) + TTL_SECONDS}:${userId}`;
    const credential = createHmac('sha1', settings.turnSecret).update(username).digest('base64');
    iceServers.push({ urls: [...settings.turnUrls], username, credential });
  }
  return { iceServers, iceTransportPolicy: settings.policy, ttlSeconds: TTL_SECONDS };
}

export interface RoomStateDeps {
  sockets: Sockets;
  news: Pick<StatusNewsPublisher, 'moved'>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  iceConfig(userId: UserId): IceConfig;
  floor: {
    enter(channel: ChannelState, arrival: { id: ParticipantId; session: Session } & FloorOfClient): Promise<FloorNews>;
    /** The public key for the signatures of all floors' news. */
    readonly publicKey: string;
    makeRoomProof(channelId: ChannelId, userId: UserId, version: number): Promise<string>;
  };
}

/** The floor as a returning client knows it. */
export interface FloorOfClient {
  readonly floor?: FloorNews | undefined;
  /** For a participant that was resumed: the press by which it has the floor; null without one (TALK151). */
  readonly claim?: number | null | undefined;
}

/** The room that a join names. */
export type Target = { key: string } | { id: ChannelId };

/** How a participant arrives. `video`: the picture that it shows in the video view; null outside of that view (VID1). */
export interface JoinRequest extends FloorOfClient {
  readonly video: VideoShown | null;
  /** Whether it stays in its other rooms. */
  readonly keep: boolean;
  /** Undefined: its client can't resume. Null: it has no token yet. */
  readonly resume: string | null | undefined;
}

/** Describes a room to a participant in it. Unless it is back, the others there are told of it (PRES8). */
export type DescribeRoom = (
  participant: LiveParticipant,
  channel: ChannelState,
  occupants: readonly Occupant[],
  isBack: boolean,
  brought: FloorOfClient,
) => Promise<RoomState>;

export function createRoomStates({ sockets, news, photos, iceConfig, floor }: RoomStateDeps): DescribeRoom {
  const participantOf = (row: Occupant, channelId: ChannelId): Participant => ({
    id: row.socketId as ParticipantId,
    userId: row.userId as UserId,
    name: nameOf(row),
    ...(row.linkName === null ? nameBehind(fullName(row), nameOf(row)) : {}),
    role: row.role === 'guest' ? 'member' : row.role,
    ...photoOf(row.photoId, photos),
    ...(row.video === null ? {} : { video: row.video }),
    ...silenceOf(sockets.participants.find(row.socketId), channelId, row.isSilent),
    ...(row.linkName === null ? {} : { guest: { name: row.firstName, link: row.linkName } }),
  });

  return async (participant, channel, occupants, isBack, brought) => {
    const { id, session, socket } = participant;
    const { id: channelId, name, rtcSession, talkMode } = channel;
    for (const row of occupants) if (row.socketId === id) learnNames(participant, row);
    const shown = occupants.map((row) => participantOf(row, channelId));
    const everyone = session.guest === undefined ? shown : shown.map(asGuestsSee);
    const others = everyone.filter((other) => other.id !== id);
    const self = everyone.find((other) => other.id === id);
    if (self === undefined) throw new Error('A participant that was just stored in a room is not there');
    if (!isBack) {
      const toRoom = (one: Participant) => ({ ...one, channelId });
      socket?.emit('all_users', others.map(toRoom));
      socket?.emit('usersInThisRoom', everyone.map(toRoom));
      tellOfParticipant(sockets, 'user joined', toRoom(self), [id]);
      news.moved(session, [channelId]);
    }
    const state = await floor.enter(channel, { id, session, ...brought });
    return {
      channel: { id: channelId, name, rtcSession, talkMode },
      self,
      participants: others,
      floor: state,
      floorKey: floor.publicKey,
      stay: await floor.makeRoomProof(channelId, session.userId, state.version),
      resume: null,
      ice: iceConfig(session.userId),
    };
  };
}
