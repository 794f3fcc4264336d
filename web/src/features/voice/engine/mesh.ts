import type { ParticipantId } from '@pressel/contract/ids';
import type { IceConfig } from '@pressel/contract/presence';
import { createShares, type Share } from '@pressel/contract/shares';
import { createListeners } from '#src/shared/listeners.ts';
import type { LinkNews } from './link-lines.ts';
import { type Arrival, createOfferPacer, type LinkSignals, type OfferPacer, roomSignals } from './link-signals.ts';
import type { Microphone } from './microphone.ts';
import { createPeerLink, type PeerLink } from './peer-link.ts';
import { type Clock, type Platform, type Stop, TIMER_EARLY_MS } from './platform.ts';
import type { Voices } from './playback.ts';
import type { MediaPeer, PeerState, Recipients, Signalling, VoiceMedia } from './types.ts';
import type { VideoPort } from './video.ts';

/** How long to wait for the other side's offer before making one. */
export const OFFER_WAIT_MS = 8_000;
/** Delay before rebuilding a failed connection; doubled after each further failure. */
export const REBUILD_FIRST_MS = 1_000;
const REBUILD_MAX_MS = 30_000;
/** Links with one person [LINK12]: each is a peer connection. Three tabs that lose their socket six times in a bad minute stay below. */
export const LINKS: Share = { atOnce: 20, everyMs: 2_000 };
/** Limits of signals kept for participants that have not been announced yet: per participant, and participants. */
const EARLY_SIGNALS_MAX = 100;
const EARLY_SENDERS_MAX = 64;

interface Peer extends MediaPeer {
  link: PeerLink | null;
  state: PeerState;
  rebuilds: number;
  /** Cancels the timer for an expected offer or for a rebuild. */
  cancelWait: Stop;
  /** Ids of replaced connections, whose late signals are ignored. */
  retired: Set<string>;
  pacer: OfferPacer;
}

export interface MeshDeps {
  platform: Pick<Platform, 'clock' | 'createPeerConnection' | 'randomId'>;
  signalling: Signalling;
  /** Those of a room unless told. */
  signals?: LinkSignals;
  microphone: Pick<Microphone, 'track' | 'onTrack'>;
  voices: Pick<Voices, 'attach' | 'detach' | 'setAudible'>;
  /** Null: self sends and takes no pictures [VID2]. */
  video: VideoPort | null;
  /** What is said to a participant over their link beside the voice, and what they say; null: nothing. */
  news: MeshNews | null;
  /** Whether a join waits for its answer: signals of people who are unknown until then are kept. */
  isJoining(): boolean;
  /** Level of the own microphone, 0..1. */
  ownLevel(): number;
}

export interface MeshNews {
  first(to: ParticipantId): readonly string[];
  hear(from: ParticipantId, text: string): ReturnType<LinkNews['hear']>;
}

/**
 * Each link that is asked for sound stops the page until WebRTC's own threads answer: eight a second at most, however many
 * are in the room.
 */
const LOOK_MS_PER_LINK = 125;

/**
 * VoiceMedia over one direct connection to each participant. Rules: docs/rules/voice-links.md.
 *
 * Who offers: the newcomer offers to all earlier participants [LINK1]; these wait for it [LINK2]. The offerer restarts
 * and rebuilds its connection; the answerer offers a new one only when the offerer did nothing in time [LINK3]. When
 * two offers for new connections cross, the one of the greater participant id wins and the other is withdrawn [LINK4],
 * so both sides decide alike without further signals. Offers of new connections are paced [LINK10], and the connections
 * with one person limited [LINK12].
 */
export const createMesh = (deps: MeshDeps): VoiceMedia => {
  const { platform, signalling, microphone, voices, video, news } = deps;
  const { clock } = platform;
  const signals = deps.signals ?? roomSignals(signalling);
  const listeners = createListeners();
  const peers = new Map<ParticipantId, Peer>();
  const early = new Map<ParticipantId, Arrival[]>();
  const links = createShares(LINKS, clock.now);
  let self: ParticipantId | null = null;
  let configuration: RTCConfiguration = {};
  let stopRefresh: Stop = () => undefined;
  let audible: ReadonlySet<ParticipantId> = new Set();
  let recipients: Recipients = 'nobody';
  let isClosed = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let wasSounding = false;

  const setState = (peer: Peer, next: PeerState) => {
    // Who couldn't be reached stays so while it is tried again: a state that comes and goes for ever says nothing.
    const state = next === 'connecting' && peer.state === 'failed' ? 'failed' : next;
    if (peer.state === state) return;
    peer.state = state;
    peer.pacer.setConnected(state === 'connected');
    listeners.tell();
  };

  const unlink = (peer: Peer) => {
    peer.cancelWait();
    if (peer.link === null) return;
    peer.retired.add(peer.link.link);
    peer.link.close();
    peer.link = null;
    voices.detach(peer.id);
    video?.detach(peer.id);
  };

  const drop = (peer: Peer) => {
    peers.delete(peer.id);
    peer.pacer.close();
    unlink(peer);
  };

  const isRecipient = ({ id }: MediaPeer) => includes(recipients, id);

  /** The last of what was said may still be on its way to those who get nothing more, but nothing that others are told now. */
  const cutOthers = () => {
    if (recipients === 'nobody') return;
    for (const peer of peers.values()) if (!isRecipient(peer)) peer.link?.cutSending();
  };

  const build = (peer: Peer, role: PeerLink['role'], name: string | undefined) => {
    unlink(peer);
    links.take(peer);
    setState(peer, 'connecting');
    peer.link = createPeerLink({
      role,
      link: name ?? '',
      platform,
      configuration,
      track: microphone.track(),
      sending: isRecipient(peer),
      send: (signal) => signals.send(peer.id, name, signal),
      onState: (state) => {
        if (state === 'connected') peer.rebuilds = 0;
        setState(peer, state);
      },
      onTrack: (track) => voices.attach(peer.id, track),
      video: video?.takes(peer.id) ? { picture: video.own(), onTrack: (track) => video.attach(peer.id, track) } : null,
      news: news && { first: () => news.first(peer.id), hear: (text) => news.hear(peer.id, text) },
      onDead: () => {
        unlink(peer);
        setState(peer, 'failed');
        const delay = Math.min(REBUILD_FIRST_MS * 2 ** peer.rebuilds, REBUILD_MAX_MS);
        peer.rebuilds += 1;
        peer.cancelWait = clock.after(delay, () => offerTo(peer));
      },
    });
    return peer.link;
  };

  const offerTo = (peer: Peer) => {
    const wait = links.waitMs(peer);
    if (wait > 0) peer.cancelWait = clock.after(wait, () => offerTo(peer));
    else build(peer, 'offerer', platform.randomId());
  };

  const receive = (from: ParticipantId, { link: name, signal }: Arrival) => {
    if (isClosed) return;
    const peer = peers.get(from);
    if (self === null || peer === undefined) {
      if (self === null || deps.isJoining()) bufferEarlySignal(early, from, { link: name, signal });
      return;
    }
    const current = peer.link;
    // Clients without link ids have a single connection, so a signal without one means the current connection.
    const isCurrent = current !== null && (name === undefined || name === current.link);
    if (isCurrent && (signal.type !== 'offer' || current.role === 'answerer')) current.receive(signal);
    else if (name === undefined || !peer.retired.has(name)) peer.pacer.receive({ link: name, signal });
  };

  /** A link for the other side's offer. @returns whether it was made: not if our own offer crossed it and wins [LINK4] */
  const answerTo = (peer: Peer, arrivals: readonly Arrival[]): boolean => {
    if (self === null || (peer.link?.isUnanswered() === true && self > peer.id)) return false;
    const link = build(peer, 'answerer', arrivals[0]?.link);
    for (const { signal } of arrivals) link.receive(signal);
    return true;
  };

  const add = (added: MediaPeer) => {
    const { id } = added;
    const peer: Peer = {
      ...added,
      link: null,
      state: 'connecting',
      rebuilds: 0,
      cancelWait: () => undefined,
      retired: new Set(),
      pacer: createOfferPacer({
        clock,
        waitMs: () => links.waitMs(added),
        build: (arrivals) => answerTo(peer, arrivals),
      }),
    };
    peers.set(id, peer);
    if (added.isEarlier) offerTo(peer);
    else peer.cancelWait = clock.after(OFFER_WAIT_MS, () => offerTo(peer));
    const waiting = early.get(id) ?? [];
    early.delete(id);
    for (const arrival of waiting) receive(id, arrival);
  };

  const stops: Stop[] = [
    signals.on(receive),
    microphone.onTrack((track) => Promise.all([...peers.values()].map(({ link }) => link?.setTrack(track)))),
    video?.subscribe(() => {
      for (const peer of peers.values()) peer.link?.setPicture(video.own());
    }) ?? (() => undefined),
  ];

  return {
    reenter(credentials) {
      if (isClosed || self === credentials.self) return;
      for (const peer of peers.values()) drop(peer);
      self = credentials.self;
      stopRefresh();
      configuration = toConfiguration(credentials.ice);
      stopRefresh = keepIceFresh({ clock, signalling }, credentials.ice, (fresh) => {
        configuration = fresh;
        for (const peer of peers.values()) peer.link?.setConfiguration(fresh);
      });
    },
    setSending(to) {
      const hasMore = [...peers.keys()].some((id) => includes(to, id) && !includes(recipients, id));
      recipients = to;
      for (const peer of peers.values()) peer.link?.setSending(isRecipient(peer));
      // Those whom one leaves out in the same turn still get the end of what was said to them.
      if (hasMore) cutOthers();
      else queueMicrotask(cutOthers);
    },
    tell(text, to) {
      for (const peer of peers.values()) if (to.has(peer.id)) peer.link?.tell(text);
    },
    setAudible(ids) {
      audible = ids;
      voices.setAudible(ids);
    },
    setParticipants(others) {
      if (isClosed) return;
      if (!deps.isJoining()) early.clear();
      const present = new Set(others.map(({ id }) => id));
      for (const peer of peers.values()) if (!present.has(peer.id)) drop(peer);
      for (const other of others) if (other.id !== self && !peers.has(other.id)) add(other);
      listeners.tell();
    },
    level(id) {
      if (id === self) return deps.ownLevel();
      return audible.has(id) ? (peers.get(id)?.link?.level() ?? 0) : 0;
    },
    isSounding() {
      const isSoon = clock.now() - lookedAt < peers.size * LOOK_MS_PER_LINK - TIMER_EARLY_MS;
      if (isSoon && !wasSounding) return false;
      lookedAt = clock.now();
      // All are asked, because each remembers what it was asked last.
      wasSounding = [...peers.values()].filter(({ link }) => link?.arrival() === 'sound').length > 0;
      return wasSounding;
    },
    bufferedMs: async (id) => (await peers.get(id)?.link?.bufferedMs()) ?? 0,
    isPlayed(id) {
      const arrived = peers.get(id)?.link?.arrival();
      return arrived === 'sound' || arrived === 'unmeasured';
    },
    peerState: (id) => peers.get(id)?.state ?? 'connecting',
    subscribe: listeners.add,
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const stop of stops) stop();
      stopRefresh();
      for (const peer of peers.values()) drop(peer);
      early.clear();
    },
  };
};

const includes = (recipients: Recipients, id: ParticipantId): boolean =>
  recipients === 'all' || (recipients !== 'nobody' && recipients.has(id));

const bufferEarlySignal = (early: Map<ParticipantId, Arrival[]>, from: ParticipantId, arrival: Arrival) => {
  const kept = early.get(from) ?? [];
  if (kept.length >= EARLY_SIGNALS_MAX || (kept.length === 0 && early.size >= EARLY_SENDERS_MAX)) return;
  early.set(from, [...kept, arrival]);
};

/** Delay after a failed request for new servers. */
const RETRY_MS = 15_000;
/** Minimum interval between requests, however short the credentials' lifetime. */
const REFRESH_MIN_MS = 15_000;
/** Maximum interval: timers are limited to 2^31 ms. */
const REFRESH_MAX_MS = 86_400_000;

const toConfiguration = ({ iceServers, iceTransportPolicy }: IceConfig): RTCConfiguration => ({
  iceServers: iceServers.map(({ urls, username, credential }) => ({
    urls,
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { credential }),
  })),
  iceTransportPolicy,
});

/**
 * Requests new ICE servers at half of their credentials' lifetime and passes them on [LINK7]. A relay checks the
 * credentials whenever an allocation is refreshed. Half, because the answerer uses its new ones only at the offerer's
 * next restart: by then at most half of their lifetime has passed, and the restart after it comes before they expire.
 */
const keepIceFresh = (
  { clock, signalling }: { clock: Clock; signalling: Signalling },
  first: IceConfig,
  onFresh: (configuration: RTCConfiguration) => void,
): Stop => {
  let isStopped = false;
  let cancel: Stop = () => undefined;

  const plan = (config: IceConfig) => {
    // Servers without credentials do not expire.
    if (!config.iceServers.some((server) => server.credential !== undefined)) return;
    const halfLife = config.ttlSeconds * 500;
    cancel = clock.after(Math.min(Math.max(halfLife, REFRESH_MIN_MS), REFRESH_MAX_MS), () => void refresh());
  };
  const refresh = async () => {
    const answer = await signalling.send('ice_config', {});
    if (isStopped) return;
    if (!answer.ok) {
      cancel = clock.after(RETRY_MS, () => void refresh());
      return;
    }
    onFresh(toConfiguration(answer.data));
    plan(answer.data);
  };

  plan(first);
  return () => {
    isStopped = true;
    cancel();
  };
};
