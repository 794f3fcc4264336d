import type { ParticipantId } from '@pressel/contract/ids';
import { createShares, type Share } from '@pressel/contract/shares';
import { createListeners } from '#src/shared/listeners.ts';
import { areSameServers, guessIce, keepIceFresh, rememberIce, toConfiguration } from './ice-servers.ts';
import type { LinkNews } from './link-lines.ts';
import {
  createOfferPacer,
  type LinkSignals,
  type OfferPacer,
  type ReceivedSignal,
  roomSignals,
} from './link-signals.ts';
import type { Microphone } from './microphone.ts';
import { createPeerLink, type LinkSignal, type PeerLink } from './peer-link.ts';
import { type Platform, type Stop, TIMER_EARLY_MS } from './platform.ts';
import type { Voices } from './playback.ts';
import type { MediaPeer, PeerState, Recipients, Signalling, VoiceMedia } from './types.ts';
import type { VideoPort } from './video.ts';

/** How long to wait for the other side's offer before making one. */
export const OFFER_WAIT_MS = 8_000;
/** Delay before rebuilding a failed connection; doubled after each further failure. */
export const REBUILD_FIRST_MS = 1_000;
const REBUILD_MAX_MS = 30_000;
/**
 * Limit of links with one person [LINK12]: each is a peer connection. Three tabs that lose their socket six times in a
 * bad minute stay below.
 */
export const LINKS: Share = { atOnce: 20, everyMs: 2_000 };
/** Limits for signals of participants that have not been announced yet: signals per participant, and participants. */
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
  /** The room's signals by default. */
  signals?: LinkSignals;
  microphone: Pick<Microphone, 'track' | 'onTrack'>;
  voices: Pick<Voices, 'attach' | 'detach' | 'setAudible'>;
  /** Null: self neither sends nor receives pictures [VID2]. */
  video: VideoPort | null;
  /** Texts to and from a participant over their link, beside the voice; null for none. */
  news: MeshNews | null;
  /** Whether a join waits for its answer: then signals of unknown participants are kept. */
  isJoining(): boolean;
  /** Level of the own microphone, 0..1. */
  ownLevel(): number;
}

export interface MeshNews {
  first(to: ParticipantId): readonly string[];
  hear(from: ParticipantId, text: string): ReturnType<LinkNews['hear']>;
}

/**
 * Each link that is asked for sound blocks the page until WebRTC's own threads answer: at most eight a second, however
 * many participants are in the room.
 */
const LOOK_MS_PER_LINK = 125;

/**
 * VoiceMedia over one direct connection to each participant. Rules: docs/rules/voice-links.md.
 * The newcomer offers to all earlier participants [LINK1], and these wait for the offer [LINK2]. The offerer restarts
 * and rebuilds its connection; the answerer offers a new one only if the offerer did nothing in time [LINK3]. If two
 * offers for new connections cross, that of the greater participant id wins and the other is withdrawn [LINK4]. So both
 * sides decide alike without further signals. Offers of new connections are paced [LINK10], and the connections with
 * one person limited [LINK12].
 */
export const createMesh = (deps: MeshDeps): VoiceMedia => {
  const { platform, signalling, microphone, voices, video, news } = deps;
  const { clock } = platform;
  const signals = deps.signals ?? roomSignals(signalling);
  const listeners = createListeners();
  const peers = new Map<ParticipantId, Peer>();
  const early = new Map<ParticipantId, ReceivedSignal[]>();
  const links = createShares(LINKS, clock.now);
  let self: ParticipantId | null = null;
  let configuration: RTCConfiguration = {};
  let stopRefresh: Stop = () => undefined;
  let audible: ReadonlySet<ParticipantId> = new Set();
  let recipients: Recipients = 'nobody';
  /** A link whose offer is made before its recipient is known [TALK157]. */
  let ahead: ReturnType<typeof open> | null = null;
  let isClosed = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let wasSounding = false;

  const setState = (peer: Peer, next: PeerState) => {
    // An unreachable participant stays `failed` during new attempts: a state that keeps changing tells the user
    // nothing.
    const state = next === 'connecting' && peer.state === 'failed' ? 'failed' : next;
    if (peer.state === state) return;
    peer.state = state;
    peer.pacer.setConnected(state === 'connected');
    listeners.notify();
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

  /**
   * Ends the packets that former recipients still get for a moment: they must not hear what the others are told now.
   */
  const cutOthers = () => {
    if (recipients === 'nobody') return;
    for (const peer of peers.values()) if (!isRecipient(peer)) peer.link?.cutSending();
  };

  /**
   * Opens a link, to a participant or before its recipient is known. `give` names the recipient, once; the link's
   * signals wait until then.
   */
  const open = (role: PeerLink['role'], name: string | undefined, to: Peer | null) => {
    let peer: Peer | null = null;
    const waiting: LinkSignal[] = [];
    let voice: MediaStreamTrack | null = null;
    const link = createPeerLink({
      role,
      link: name ?? '',
      platform,
      configuration,
      track: microphone.track(),
      sending: to !== null && isRecipient(to),
      send: (signal) => {
        if (peer === null) waiting.push(signal);
        else signals.send(peer.id, name, signal);
      },
      onState: (state) => {
        if (peer === null) return;
        if (state === 'connected') peer.rebuilds = 0;
        setState(peer, state);
      },
      onTrack: (track) => {
        voice = track;
        if (peer !== null) voices.attach(peer.id, track);
      },
      video:
        to !== null && video?.takes(to.id)
          ? { picture: video.own(), onTrack: (track) => video.attach(to.id, track) }
          : null,
      news: news && {
        first: () => (peer === null ? [] : news.first(peer.id)),
        hear: (text) => (peer === null ? Promise.resolve(false) : news.hear(peer.id, text)),
      },
      onDead: () => {
        if (peer === null) dropAhead();
        else rebuildLater(peer);
      },
    });
    return {
      link,
      give(next: Peer) {
        peer = next;
        for (const signal of waiting) signals.send(next.id, name, signal);
        if (voice !== null) voices.attach(next.id, voice);
      },
    };
  };

  const rebuildLater = (peer: Peer) => {
    unlink(peer);
    setState(peer, 'failed');
    const delay = Math.min(REBUILD_FIRST_MS * 2 ** peer.rebuilds, REBUILD_MAX_MS);
    peer.rebuilds += 1;
    peer.cancelWait = clock.after(delay, () => offerTo(peer));
  };

  const dropAhead = () => {
    ahead?.link.close();
    ahead = null;
  };

  /** The prepared link, for the first participant who is offered one. It lacks a line for pictures. */
  const takeAhead = (peer: Peer) => {
    if (ahead === null || video?.takes(peer.id)) return null;
    const taken = ahead;
    ahead = null;
    return taken;
  };

  const build = (peer: Peer, role: PeerLink['role'], name: string | undefined) => {
    unlink(peer);
    links.take(peer);
    setState(peer, 'connecting');
    const opened = (role === 'offerer' ? takeAhead(peer) : null) ?? open(role, name, peer);
    peer.link = opened.link;
    if (isRecipient(peer)) opened.link.setSending(true);
    opened.give(peer);
    return opened.link;
  };

  const offerTo = (peer: Peer) => {
    const wait = links.waitMs(peer);
    if (wait > 0) peer.cancelWait = clock.after(wait, () => offerTo(peer));
    else build(peer, 'offerer', platform.randomId());
  };

  const receive = (from: ParticipantId, { link: name, signal }: ReceivedSignal) => {
    if (isClosed) return;
    const peer = peers.get(from);
    if (self === null || peer === undefined) {
      if (self === null || deps.isJoining()) bufferEarlySignal(early, from, { link: name, signal });
      return;
    }
    const current = peer.link;
    // Clients without link ids have a single connection, so a signal without an id means the current connection.
    const isCurrent = current !== null && (name === undefined || name === current.link);
    if (isCurrent && (signal.type !== 'offer' || current.role === 'answerer')) current.receive(signal);
    else if (name === undefined || !peer.retired.has(name)) peer.pacer.receive({ link: name, signal });
  };

  /**
   * Makes a link for the other side's offer. @returns whether it was made: not if self's own offer crossed it and wins
   * [LINK4]
   */
  const answerTo = (peer: Peer, arrivals: readonly ReceivedSignal[]): boolean => {
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
    microphone.onTrack((track) => Promise.all([ahead, ...peers.values()].map((one) => one?.link?.setTrack(track)))),
    video?.subscribe(() => {
      for (const peer of peers.values()) peer.link?.setPicture(video.own());
    }) ?? (() => undefined),
  ];

  return {
    prepare() {
      if (isClosed || ahead !== null) return () => undefined;
      if (self === null) configuration = guessIce(signalling, clock.now());
      try {
        ahead = open('offerer', platform.randomId(), null);
      } catch {
        // The browser makes no more connections. A page without others to talk to needs none.
      }
      const mine = ahead;
      return () => {
        if (ahead === mine) dropAhead();
      };
    },
    reenter(credentials) {
      if (isClosed || self === credentials.self) return;
      for (const peer of peers.values()) drop(peer);
      self = credentials.self;
      stopRefresh();
      const before = configuration;
      configuration = toConfiguration(credentials.ice);
      rememberIce(signalling, credentials.ice, clock.now());
      // With the same servers its candidates are good, even with slightly older credentials.
      if (areSameServers(before, configuration)) ahead?.link.setConfiguration(configuration);
      else dropAhead();
      stopRefresh = keepIceFresh({ clock, signalling }, credentials.ice, (fresh) => {
        configuration = fresh;
        ahead?.link.setConfiguration(fresh);
        for (const peer of peers.values()) peer.link?.setConfiguration(fresh);
      });
    },
    setSending(to) {
      const hasMore = [...peers.keys()].some((id) => includes(to, id) && !includes(recipients, id));
      recipients = to;
      for (const peer of peers.values()) peer.link?.setSending(isRecipient(peer));
      // Recipients that leave in the same turn still get the end of what was said to them.
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
      listeners.notify();
    },
    level(id) {
      if (id === self) return deps.ownLevel();
      return audible.has(id) ? (peers.get(id)?.link?.level() ?? 0) : 0;
    },
    isSounding() {
      const isSoon = clock.now() - lookedAt < peers.size * LOOK_MS_PER_LINK - TIMER_EARLY_MS;
      if (isSoon && !wasSounding) return false;
      lookedAt = clock.now();
      // Asks all links, because each remembers its last reading.
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
      dropAhead();
      early.clear();
    },
  };
};

const includes = (recipients: Recipients, id: ParticipantId): boolean =>
  recipients === 'all' || (recipients !== 'nobody' && recipients.has(id));

const bufferEarlySignal = (
  early: Map<ParticipantId, ReceivedSignal[]>,
  from: ParticipantId,
  arrival: ReceivedSignal,
) => {
  const kept = early.get(from) ?? [];
  if (kept.length >= EARLY_SIGNALS_MAX || (kept.length === 0 && early.size >= EARLY_SENDERS_MAX)) return;
  early.set(from, [...kept, arrival]);
};
