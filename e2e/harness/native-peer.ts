import { randomInt, randomUUID } from 'node:crypto';
import type { ParticipantId } from '@pressel/contract/ids';
import { FLOOR_RENEW_MS } from '@pressel/contract/limits';
import type { FloorSnapshot } from '@pressel/contract/voice';
import { createNativeLink, type NativeLink, type NativeSignal } from './native-link.ts';
import { connectNatively } from './native-socket.ts';
import type { Pacer } from './opus-voice.ts';

const REBUILD_MS = 1_000;
/** Packets of each sender: half a minute. */
const HEARD_MAX_PACKETS = 1_500;

export interface NativePeerOptions {
  origin: string;
  token: string;
  /** The channel's rtcSession. */
  room: string;
  /** The sound of its talks: Opus packets of 20 ms, over and over. */
  voice: readonly Buffer[];
  pacer: Pacer;
  /** Another way to the server, for tests. */
  connect?: typeof connectNatively;
}

/** A participant without a browser: a real socket, real connections, a ready-made voice. */
export interface NativePeer {
  readonly id: ParticipantId;
  /** The other participants in the room, as far as the server told. */
  others(): ReadonlySet<ParticipantId>;
  /** The participants with whom it has a working connection. */
  connectedTo(): ReadonlySet<ParticipantId>;
  floor(): FloorSnapshot;
  /** Asks for the floor and waits in line for it. Talks from the grant on. @throws Error when it will not get the floor */
  press(): Promise<Talk>;
  release(): Promise<void>;
  /** Opus packets since the last call, by sender: all that arrived, whoever the floor names. */
  takeHeard(): ReadonlyMap<ParticipantId, readonly Buffer[]>;
  /** Leaves like somebody who leaves the room and closes the page. */
  leave(): Promise<void>;
  /** Vanishes like a process that is killed: its connections break off, and nobody is told. */
  vanish(): void;
}

export interface Talk {
  /** Resolves when the talk ended, for whatever reason. */
  over: Promise<void>;
}

/** Talks, and presses again whenever a talk has lasted as long as it may, until the returned stop is called. */
export function talkOn(peer: NativePeer): () => Promise<void> {
  let goesOn = true;
  const talks = (async () => {
    while (goesOn) await (await peer.press()).over;
  })();
  return async () => {
    goesOn = false;
    await peer.release();
    await talks;
  };
}

const floorLost = (how: string) => new Error(`The floor was ${how}`);

/** Enters a room and links with all who are in it. */
export async function enterNatively(options: NativePeerOptions): Promise<NativePeer> {
  const { origin, token, room, voice, pacer, connect = connectNatively } = options;
  const { socket, ask } = await connect(origin, token);
  const links = new Map<ParticipantId, NativeLink>();
  const others = new Set<ParticipantId>();
  const heard = new Map<ParticipantId, Buffer[]>();
  let self = '' as ParticipantId;
  let floor: FloorSnapshot | null = null;
  let seq = 0;
  let isGone = false;
  let endTalk: () => void = () => undefined;
  let granted: PromiseWithResolvers<Talk> | null = null;

  const send = (to: ParticipantId, link: string | undefined, signal: NativeSignal): void => {
    if (isGone) return;
    const name = link === undefined ? {} : { link };
    const done = () => undefined;
    if (signal.type === 'candidate') {
      socket.emit('candidate', { candidate: signal.candidate, candidateReceiveID: to, ...name }, done);
    } else if (signal.type === 'offer') {
      socket.emit('offer', { sdp: { type: 'offer', sdp: signal.sdp }, offerReceiveID: to, ...name }, done);
    } else {
      socket.emit('answer', { sdp: { type: 'answer', sdp: signal.sdp }, answerReceiveID: to, ...name }, done);
    }
  };

  const build = (to: ParticipantId, role: NativeLink['role'], link: string | undefined): NativeLink => {
    links.get(to)?.close();
    const made = createNativeLink({
      role,
      link,
      ssrc: randomInt(1, 2 ** 32 - 1),
      send: (signal) => send(to, link, signal),
      onState: () => {
        if (role === 'offerer' && made.isDead()) setTimeout(() => rebuild(to, made), REBUILD_MS);
      },
      onVoice: (packet) => {
        const packets = heard.get(to) ?? [];
        heard.set(to, packets);
        if (packets.length < HEARD_MAX_PACKETS) packets.push(packet);
      },
    });
    links.set(to, made);
    return made;
  };
  /** [LINK3] The peer that offered a link builds it anew. */
  const rebuild = (to: ParticipantId, dead: NativeLink): void => {
    if (!isGone && others.has(to) && links.get(to) === dead) build(to, 'offerer', randomUUID());
  };
  const forget = (id: ParticipantId): void => {
    others.delete(id);
    links.get(id)?.close();
    links.delete(id);
  };

  socket.on('getOffer', ({ offerSendID: from, link, sdp }) => {
    // [LINK4] If two offers cross, the one of the greater id stands.
    if (links.get(from)?.isUnanswered() === true && self > from) return;
    others.add(from);
    build(from, 'answerer', link).receive(sdp);
  });
  const pass = (from: ParticipantId, link: string | undefined, signal: NativeSignal): void => {
    const current = links.get(from);
    if (current !== undefined && (link === undefined || current.link === link)) current.receive(signal);
  };
  socket.on('getAnswer', ({ answerSendID, link, sdp }) => pass(answerSendID, link, sdp));
  socket.on('getCandidate', ({ candidateSendID, link, candidate }) =>
    pass(candidateSendID, link, { type: 'candidate', candidate }),
  );
  socket.on('user joined', ({ id }) => others.add(id));
  socket.on('user_exit', ({ id }) => forget(id));
  socket.on('floor_changed', (snapshot) => {
    if (floor === null || snapshot.version > floor.version) floor = snapshot;
  });
  socket.on('floor_reply', (reply) => {
    if (reply.seq !== seq) return;
    if (reply.type === 'granted') talk();
    else if (reply.type === 'revoked') lose(floorLost(`revoked: ${reply.reason}`));
  });

  const talk = (): void => {
    const stopVoice = pacer.add((index, rtpTime) => {
      const packet = voice[index % voice.length];
      if (packet !== undefined) for (const link of links.values()) link.say(packet, rtpTime);
    });
    const stopRenewing = endTalk;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    endTalk = () => {
      stopVoice();
      stopRenewing();
      resolve();
    };
    granted?.resolve({ over });
    granted = null;
  };
  const lose = (why: Error): void => {
    endTalk();
    endTalk = () => undefined;
    granted?.reject(why);
    granted = null;
  };
  const end = (): void => {
    isGone = true;
    lose(floorLost('left'));
    for (const id of [...links.keys()]) forget(id);
  };

  const state = await ask('join_room', { room });
  self = state.self.id;
  floor = state.floor;
  for (const { id } of state.participants) {
    others.add(id);
    build(id, 'offerer', randomUUID());
  }

  return {
    id: self,
    others: () => others,
    connectedTo: () => new Set([...links].filter(([, link]) => link.isConnected()).map(([id]) => id)),
    floor: () => floor as FloorSnapshot,
    press() {
      seq += 1;
      const mine = seq;
      const waiting = Promise.withResolvers<Talk>();
      granted = waiting;
      const renewing = setInterval(() => socket.emit('floor_renew', { seq: mine }, () => undefined), FLOOR_RENEW_MS);
      endTalk = () => clearInterval(renewing);
      /** The floor may have been released or revoked before the server answers. */
      const whileWaiting = (act: () => void): void => {
        if (granted === waiting) act();
      };
      ask('floor_request', { seq: mine, queue: true }).then(
        (reply) =>
          whileWaiting(() => {
            if (reply.type === 'granted') talk();
            else if (reply.type !== 'queued')
              lose(floorLost(reply.type === 'denied' ? `denied: ${reply.reason}` : reply.type));
          }),
        (error: Error) => whileWaiting(() => lose(error)),
      );
      // Returned at once, so that the caller hears of every refusal, even of one that comes before the server's answer.
      return waiting.promise;
    },
    async release() {
      lose(floorLost('released'));
      seq += 1;
      await ask('floor_release', { seq });
    },
    takeHeard() {
      const taken = new Map(heard);
      heard.clear();
      return taken;
    },
    async leave() {
      end();
      await ask('leave_room', {});
      socket.close();
    },
    vanish() {
      end();
      socket.io.engine.close();
    },
  };
}
