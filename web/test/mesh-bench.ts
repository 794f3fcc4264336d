import type { ParticipantId } from '@pressel/contract/ids';
import type { IceConfig } from '@pressel/contract/presence';
import { createMesh } from '#src/features/voice/engine/mesh.ts';
import type { VoiceMedia } from '#src/features/voice/engine/types.ts';
import type { Picture } from '#src/features/voice/engine/video.ts';
import { createFakeClock, type FakeClock, settle } from './fake-clock.ts';
import { asTrack, FakeTrack } from './fake-media-track.ts';
import { createFakeNetwork, type FakeNetwork, type FakePeerConnection } from './fake-peer-connection.ts';
import { createFakeSignalling, type FakeSignalling, ok } from './fake-signalling.ts';
import { NO_ICE } from './voice-bench.ts';

export interface MeshMember {
  id: ParticipantId;
  media: VoiceMedia;
  signalling: FakeSignalling;
  microphone: FakeTrack;
  /** Replaces the microphone's track (null: none). */
  changeMicrophone(track: FakeTrack | null): void;
  /** Shows another picture (null: none). */
  show(picture: Picture | null): void;
  /** The video tracks that arrived over links, by participant. */
  pictures: Map<ParticipantId, MediaStreamTrack>;
  /** Tracks played by this member, by participant. */
  played: Map<ParticipantId, MediaStreamTrack>;
  audible: ReadonlySet<ParticipantId>;
}

export interface VideoEntry {
  /** The picture that they show from the start. */
  picture: Picture | null;
  /** Whether they take a participant for one with video; by default true for all who have it. */
  takes?: (id: string) => boolean;
}

export interface MeshBench {
  clock: FakeClock;
  network: FakeNetwork;
  members: Map<string, MeshMember>;
  /** Delay of a signal from one member to another over the server, ms. */
  delayMs: number;
  /** ICE configuration for members who enter from now on. */
  ice: IceConfig;
  /** Drops signals for which this returns true. */
  isLost(from: string, to: string, event: 'offer' | 'answer' | 'candidate'): boolean;
  /** The person of a member's participant; by default each is a person of their own. */
  personOf(id: ParticipantId): string;
  /** A member enters: the others are told, and the newcomer offers to them. `joining`: its join isn't answered yet. */
  enter(name: string, video?: VideoEntry, joining?: 'joining'): Promise<MeshMember>;
  leave(name: string): void;
  /** Number of signals of this type sent so far. */
  count(event: 'offer' | 'answer' | 'candidate'): number;
  /** The fake connections whose two ends are connected. */
  connected(): FakePeerConnection[];
}

/** Several members in one room, each with its own mesh, and a server that only relays. */
export const createMeshBench = (): MeshBench => {
  const clock = createFakeClock();
  const network = createFakeNetwork();
  const members = new Map<string, MeshMember>();
  const withVideo = new Set<string>();
  let links = 0;

  const relay = (from: ParticipantId, signalling: FakeSignalling) => {
    /** Signals may be delayed, but those of one sender keep their order, as on a socket. */
    let lastArrival = 0;
    const pass = (event: 'offer' | 'answer' | 'candidate', to: ParticipantId, tell: (s: FakeSignalling) => void) => {
      if (bench.isLost(from, to, event)) return;
      lastArrival = Math.max(lastArrival, clock.now() + bench.delayMs);
      clock.after(lastArrival - clock.now(), () => {
        const target = members.get(to);
        if (target !== undefined && members.has(from)) tell(target.signalling);
      });
    };
    signalling.answer('offer', ({ offerReceiveID, sdp, link }) => {
      const to = offerReceiveID as ParticipantId;
      pass('offer', to, (target) => target.emit('getOffer', { sdp, offerSendID: from, link }));
      return ok<'offer'>({});
    });
    signalling.answer('answer', ({ answerReceiveID, sdp, link }) => {
      const to = answerReceiveID as ParticipantId;
      pass('answer', to, (target) => target.emit('getAnswer', { sdp, answerSendID: from, link }));
      return ok<'answer'>({});
    });
    signalling.answer('candidate', ({ candidateReceiveID, candidate, link }) => {
      const to = candidateReceiveID as ParticipantId;
      pass('candidate', to, (target) => target.emit('getCandidate', { candidate, candidateSendID: from, link }));
      return ok<'candidate'>({});
    });
  };

  const present = () => [...members.values()].map(({ id }) => ({ id, person: bench.personOf(id) }));
  const tellAll = (unless?: MeshMember) => {
    const all = present().map((one) => ({ ...one, isEarlier: false }));
    for (const one of members.values()) if (one !== unless) one.media.setParticipants(all);
  };

  const bench: MeshBench = {
    clock,
    network,
    members,
    delayMs: 5,
    ice: NO_ICE,
    isLost: () => false,
    personOf: (id) => id,
    async enter(name, entry, joining) {
      if (entry !== undefined) withVideo.add(name);
      const id = name as ParticipantId;
      const signalling = createFakeSignalling();
      const microphone = new FakeTrack(`microphone of ${name}`);
      microphone.enabled = false;
      let track: FakeTrack | null = microphone;
      const senders = new Set<(track: MediaStreamTrack | null) => Promise<unknown>>();
      const played = new Map<ParticipantId, MediaStreamTrack>();
      const pictures = new Map<ParticipantId, MediaStreamTrack>();
      const viewers = new Set<() => void>();
      let own = entry?.picture ?? null;
      const media = createMesh({
        platform: {
          clock,
          createPeerConnection: (configuration) => network.create(configuration),
          randomId: () => {
            links += 1;
            return `link-${links}`;
          },
        },
        signalling,
        microphone: {
          track: () => (track === null ? null : asTrack(track)),
          onTrack(handler) {
            senders.add(handler);
            return () => senders.delete(handler);
          },
        },
        voices: {
          attach: (from, received) => played.set(from, received),
          detach: (from) => played.delete(from),
          setAudible: (ids) => {
            member.audible = ids;
          },
        },
        video:
          entry === undefined
            ? null
            : {
                takes: entry.takes ?? ((other) => withVideo.has(other)),
                own: () => own,
                subscribe(listener) {
                  viewers.add(listener);
                  return () => viewers.delete(listener);
                },
                attach: (from, received) => pictures.set(from, received),
                detach: (from) => pictures.delete(from),
              },
        news: null,
        isJoining: () => true,
        ownLevel: () => 0.5,
      });
      const member: MeshMember = {
        id,
        media,
        signalling,
        microphone,
        played,
        pictures,
        show(next) {
          own = next;
          for (const listener of [...viewers]) listener();
        },
        audible: new Set(),
        changeMicrophone(next) {
          track = next;
          for (const send of [...senders]) void send(next === null ? null : asTrack(next));
        },
      };
      const before = present().map((one) => ({ ...one, isEarlier: true }));
      relay(id, signalling);
      members.set(name, member);
      if (joining === undefined) {
        media.reenter({ self: id, ice: bench.ice });
        media.setParticipants(before);
      }
      tellAll(joining && member);
      await settle();
      return member;
    },
    leave(name) {
      members.get(name)?.media.close();
      members.delete(name);
      tellAll();
    },
    count: (event) => [...members.values()].reduce((sum, { signalling }) => sum + signalling.sentOf(event).length, 0),
    connected: () => network.live().filter(({ connectionState }) => connectionState === 'connected'),
  };
  return bench;
};
