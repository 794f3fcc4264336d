import type { ParticipantId } from '@pressel/contract/ids';
import type { RoomState, VideoShown } from '@pressel/contract/presence';
import { createListeners } from '#src/shared/listeners.ts';
import type { LinkState } from '#src/shared/realtime/realtime.ts';
import { createJoins, createRoomNews, createRoomPeople, finalAfter, LINK_KEEP_MS } from './joining.ts';
import type { WatchedRoom } from './link-watch.ts';
import { createMissedTalksTracker, createRecentTalks } from './past-talks.ts';
import type { Stop } from './platform.ts';
import { type Loudness, takeSnapshot, volumeFor } from './room-snapshot.ts';
import { createRoomTalk } from './room-talk.ts';
import type { EngineForRooms, RoomHandle, RoomOptions, RoomSession } from './room-types.ts';
import type { RoomSnapshot, RoomStatus, Signalling } from './types.ts';

/** If somebody talks at entering, the audio contexts for the own talk are made this much later [TALK141]. */
export const VOICE_FIRST_MS = 1_000;

/**
 * One room at the engine, from entering to `close`: its join, its participants, the own talk, and missed talks. `onEnd`
 * gives the engine back.
 */
export const createRoomSession = (
  engine: EngineForRooms,
  options: RoomOptions,
  onEnd: () => void,
): { session: RoomSession; roomHandle: RoomHandle } => {
  const { room, channelId, preferences } = options;
  const { signalling, platform, microphone, tones, playback, media } = engine;
  const { clock } = platform;
  const listeners = createListeners();
  /** Adds the room's channel to everything that is sent about it. */
  const toRoom: Pick<Signalling, 'send'> = {
    send: (event, payload) => signalling.send(event, { ...payload, channelId: channel?.id }),
  };
  const video = options.createVideo?.({ clock, tell: (shown) => toRoom.send('video_state', { video: shown }) }) ?? null;
  const takes = (id: ParticipantId) => people.others().some((one) => one.id === id && one.video !== undefined);

  let status: RoomStatus = { state: 'joining' };
  let channel: RoomSnapshot['channel'] = null;
  /** Whether the join was answered and the room is still entered, for a while even without the link [TALK153]. */
  let isEntered = false;
  /** When the link was lost, a reading of the clock; null while it is there, and once nothing goes on without it. */
  let lostAt: number | null = null;
  let cancelKeep: Stop = () => undefined;
  let cancelSound: Stop = () => undefined;
  let link: LinkState | null = null;
  let loudness: Loudness = { ...preferences, isSoundOff: false };
  let snapshot: RoomSnapshot | null = null;
  let watched: WatchedRoom | null = null;

  const joins = createJoins({ clock, signalling });
  const news = createRoomNews({ signalling, channelId: () => channel?.id, isIn: () => isIn() });
  const people = createRoomPeople({
    clock,
    isLinked: (id) => peerState(id) === 'connected',
    onChange() {
      engine.applyPeople();
      refresh();
    },
  });
  const ownTalk = createRoomTalk({
    ...{ engine, signalling: toRoom, people, preferences },
    obstacle() {
      if (status.state === 'joining' && link === 'up') return 'entering';
      return status.state === 'joined' ? null : 'link';
    },
    onChange: () => refresh(),
  });
  const { floor, talk, holds, peerNews } = ownTalk;
  const missedTalks = createMissedTalksTracker({
    ...{ clock, signalling: toRoom, floor },
    isLinked: (id) => peerState(id) === 'connected',
    onGap: () => recent.refresh(),
  });
  // Created after the missed talks, which by then know who was audible.
  const recent = createRecentTalks({
    ...{ clock, signalling: toRoom, floor },
    self: people.self,
    memory: options.memory ?? null,
    wasHeard: missedTalks.wasHeard,
  });

  /** Links to participants who aren't in this room belong to other rooms. */
  const peerState = (id: ParticipantId) => (isEntered ? media.peerState(id) : 'interrupted');

  const refresh = () => {
    const next = takeSnapshot(
      {
        ...{ status, channel, self: people.self(), others: people.others(), loudness },
        ...{ floor, talk, isSoundless: ownTalk.isSoundless(), microphone, playback },
        ...{ missedTalks, recent, platform, peerState },
      },
      snapshot,
    );
    if (next === snapshot) return;
    snapshot = next;
    listeners.notify();
  };

  const isFinal = () => status.state === 'closed' || status.state === 'refused';
  const isIn = () => status.state === 'joined' || status.state === 'silent';

  /** Stops everything that comes from the server or waits for it. */
  const disconnect = () => {
    joins.cancel();
    cancelSound();
    if (watched !== null) engine.linkWatch.remove(watched);
    watched = null;
    video?.left();
    news.drop();
  };

  const dropMedia = () => {
    cancelKeep();
    lostAt = null;
    peerNews?.left();
    isEntered = false;
    engine.applyPeople();
  };

  const giveUp = () => {
    dropMedia();
    ownTalk.left();
    refresh();
  };

  /**
   * The server can't be reached. Connections, talkers and the own talk go on for a while, until it is back [TALK153].
   */
  const goOnWithout = () => {
    disconnect();
    talk.linkLost();
    status = { state: 'lost' };
    lostAt ??= clock.now();
    cancelKeep();
    cancelKeep = clock.after(lostAt + LINK_KEEP_MS - clock.now(), giveUp);
    refresh();
  };

  const setLoudness = (change: Partial<Loudness>) => {
    loudness = { ...loudness, ...change };
    engine.applyVolumes();
    refresh();
  };

  /** @param isResumed whether self is the same participant as before, with everything that went on meanwhile */
  const settle = (state: RoomState, isResumed: boolean) => {
    if (isEntered && !isResumed) ownTalk.left();
    engine.resume = state.resume;
    const keepUntil = isResumed && lostAt !== null ? lostAt + LINK_KEEP_MS : null;
    cancelKeep();
    lostAt = null;
    channel = state.channel;
    status = { state: 'joined' };
    media.reenter({ self: state.self.id, ice: state.ice });
    isEntered = true;
    people.enter(state, keepUntil);
    ownTalk.entered(state, isResumed);
    news.replay();
    // The room may have ended meanwhile.
    if (isFinal()) return;
    missedTalks.entered(state.stay);
    recent.entered(state.channel.id);
    watched = { channelId: state.channel.id, floor, confirm: missedTalks.confirm, onOut };
    engine.linkWatch.add(watched);
    talk.obstacleChanged();
    prepareSound();
  };

  /**
   * Making a context stops the page: it is done before anybody can press, or after the first sound of a running talk.
   */
  const prepareSound = () => {
    if (floor.audible().size === 0) platform.sound.prepare();
    else cancelSound = clock.after(VOICE_FIRST_MS, platform.sound.prepare);
  };

  const onOut = () => {
    if (isFinal()) return;
    goOnWithout();
    void join();
  };

  const join = async () => {
    disconnect();
    news.wait();
    // A returning client names the channel by id: the room may have been renamed while the link was down, and its old
    // name given to another [PRES16].
    const back = { channelId: channel?.id ?? channelId, resume: engine.resume };
    const shows = video?.shown();
    const target = {
      room: channel?.rtcSession ?? room,
      ...{ ...back, floor: floor.newest(), claim: talk.claim() },
      ...(!engine.isAlone() && { keep: true }),
      ...(shows && { video: shows }),
    };
    const asked = joins.ask(target);
    // Work that doesn't need the answer is done while it is awaited [TALK157], in a task of its own: it takes the browser as long as all
    // before.
    let dropUnused: Stop = () => undefined;
    const prepare = () => {
      dropUnused = media.prepare();
    };
    const cancelPrepare = isEntered || video !== null ? null : clock.after(0, prepare);
    const answer = await asked;
    cancelPrepare?.();
    take(answer, shows);
    dropUnused();
  };

  const take = (answer: Awaited<ReturnType<typeof joins.ask>>, shows: VideoShown | undefined) => {
    if (answer === undefined || isFinal()) return;
    if (answer?.ok) {
      const isResumed = isEntered && answer.data.self.id === people.self()?.id;
      settle(answer.data, isResumed);
      if (shows && !isFinal()) video?.entered(shows);
      return;
    }
    news.drop();
    if (answer === null) return;
    const final = finalAfter(answer.code, channel !== null);
    // Also without an answer in time: the answer to the beat says that the connection is alive.
    if (final === null) joins.again(() => link === 'up' && void join());
    else end(final);
  };

  const end = (final: Extract<RoomStatus, { state: 'closed' | 'refused' }>) => {
    if (isFinal()) return;
    // Release the floor first, then leave the room [TALK72].
    talk.close();
    status = final;
    for (const stop of stops) stop();
    // Also during a join, or after one that had no answer in time: the server may still take it [PRES40].
    const isLeft = final.state === 'closed' && final.reason === 'left';
    const leaves = channel?.id ?? channelId;
    // Without a channel, the event means all rooms.
    const canSay = leaves !== undefined || engine.isAlone();
    if (isLeft && link === 'up' && canSay) void signalling.send('leave_room', { channelId: leaves });
    disconnect();
    dropMedia();
    ownTalk.close();
    missedTalks.close();
    recent.close();
    video?.close();
    people.clear();
    refresh();
    onEnd();
  };

  const onLink = (next: LinkState) => {
    if (isFinal()) return;
    link = next;
    if (next === 'up') void join();
    else if (next === 'refused') end({ state: 'refused', code: 'unauthenticated' });
    else if (isEntered) goOnWithout();
    else {
      disconnect();
      giveUp();
    }
  };

  const stops: Stop[] = [
    floor.subscribe(() => {
      // The server can't tell: a successor's page did [TALK154].
      if (lostAt !== null && !floor.isOwn()) talk.confirm(false);
      engine.applyAudible();
      engine.linkWatch.floorChanged();
      refresh();
    }),
    media.subscribe(() => {
      people.linksChanged();
      missedTalks.linksChanged();
      refresh();
    }),
    playback.subscribe(refresh),
    platform.loudspeaker.subscribe(refresh),
    missedTalks.subscribe(refresh),
    recent.subscribe(refresh),
    news.on('floor_changed', ownTalk.apply),
    news.on('floor_reply', talk.reply),
    news.on('user joined', people.joined),
    news.on('user_exit', ({ id }) => people.left(id)),
    news.on('participant_changed', (changed) => {
      people.changed(changed);
      refresh();
    }),
    news.on('room_changed', (changed) => {
      channel = changed;
      refresh();
    }),
    // Also handled between two attempts to come back.
    news.on(
      'room_closed',
      ({ reason }) => end({ state: 'closed', reason }),
      () => !isFinal(),
    ),
  ];

  /** Uses a press or release as the user gesture that unlocks playback. */
  const unlockOnGesture = () => {
    if (playback.state() === 'blocked') void playback.unlock();
  };

  if (video !== null) stops.push(engine.video.use({ ...video.port, takes }));
  refresh();

  const roomHandle: RoomHandle = {
    channelId: () => channel?.id ?? null,
    isJoining: news.isWaiting,
    people: () => (isEntered ? people.peers((userId) => volumeFor(loudness, userId)) : []),
    audible: floor.audible,
    isSending: ownTalk.isSending,
    peerNews,
    onLink,
    onSilence(isSilent) {
      if (!isIn()) return;
      status = { state: isSilent ? 'silent' : 'joined' };
      refresh();
    },
  };

  const session: RoomSession = {
    getSnapshot: () => {
      if (snapshot === null) refresh();
      return snapshot as RoomSnapshot;
    },
    subscribe: listeners.add,
    press(by) {
      if (isFinal()) return;
      microphone.revive();
      // The press comes first: the others must not lose speech to the time that waking the sound takes [TALK141].
      holds.press(by);
      platform.sound.wake();
      unlockOnGesture();
    },
    release(by) {
      holds.release(by);
      unlockOnGesture();
    },
    letGo: holds.letGo,
    stop: holds.stop,
    level: (id) => (isEntered ? media.level(id) : 0),
    selectMicrophone: microphone.select,
    retryMicrophone: microphone.start,
    unlockAudio: playback.unlock,
    setSoundOff: (isSoundOff) => setLoudness({ isSoundOff }),
    dismissMissed: missedTalks.dismiss,
    setPreferences(next) {
      tones.setEnabled(next.tones);
      ownTalk.setPreferences(next);
      setLoudness(next);
    },
    loudspeaker: platform.loudspeaker,
    probe: engine.probe,
    pageTalk: engine.pageTalk,
    video,
    keepEngineOpen: engine.keepOpen,
    close: () => end({ state: 'closed', reason: 'left' }),
  };
  return { session, roomHandle };
};
