import type { ParticipantId } from '@pressel/contract/ids';
import type { RoomState } from '@pressel/contract/presence';
import { createListeners } from '#src/shared/listeners.ts';
import { createFloorView } from './floor.ts';
import { createEarlyMedia, createFloorBeside } from './floor-beside.ts';
import { createJoins, createRoomNews, createRoomPeople, finalAfter, LINK_KEEP_MS } from './joining.ts';
import { createSoundCheck } from './levels.ts';
import type { WatchedRoom } from './link-watch.ts';
import type { Stop } from './platform.ts';
import { createRecap, createRecentTalks } from './recap.ts';
import { type Loudness, takeSnapshot, volumeFor } from './room-snapshot.ts';
import { createTalkControl } from './talk-control.ts';
import { createTalkHolds } from './talk-holds.ts';
import type {
  DeskRoom,
  LinkState,
  RoomDesk,
  RoomOptions,
  RoomSnapshot,
  RoomStatus,
  Signalling,
  TalkSound,
  VoiceRoom,
} from './types.ts';

/** One visit to a room, from entering to `close`: the floor, the own talk, and what was missed. `onEnd` gives the desk back. */
export const createRoomSession = (
  desk: RoomDesk,
  options: RoomOptions,
  onEnd: () => void,
): { room: VoiceRoom; deskRoom: DeskRoom } => {
  const { room, channelId, preferences } = options;
  const { signalling, platform, microphone, tones, playback, media } = desk;
  const { clock } = platform;
  const listeners = createListeners();
  /** Says which room is meant in all that is sent about it. */
  const toRoom: Pick<Signalling, 'send'> = {
    send: (event, payload) => signalling.send(event, { ...payload, channelId: channel?.id }),
  };
  const video = options.createVideo?.({ clock, tell: (shown) => toRoom.send('video_state', { video: shown }) }) ?? null;
  const takes = (id: ParticipantId) => people.others().some((one) => one.id === id && one.video !== undefined);

  let status: RoomStatus = { state: 'joining' };
  let channel: RoomSnapshot['channel'] = null;
  /** The join was answered, and what it began goes on, for a while also without the link [TALK153]. */
  let isEntered = false;
  /** When the link was lost, reading of the clock; null while it is there, and once nothing goes on without it. */
  let lostAt: number | null = null;
  let cancelKeep: Stop = () => undefined;
  let isSending = false;
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
      desk.applyPeople();
      refresh();
    },
  });
  const floor = createFloorView({ clock, self: people.self, isPlayed: media.isPlayed, bufferedMs: media.bufferedMs });
  floor.setHearsOwn(preferences.hearsOwnDevices);
  const earlyMedia = createEarlyMedia({
    ...{ clock, floor, others: people.others, isSending: () => isSending },
    spent: desk.playedEarly,
  });
  const beside =
    platform.checkBy && createFloorBeside({ floor, checkBy: platform.checkBy, onPress: earlyMedia.pressed });
  const play = (sound: TalkSound) => tones.play(sound, listeners);
  const talk = createTalkControl({
    clock,
    signalling: toRoom,
    setSending(sending) {
      const isPress = sending && !isSending;
      isSending = sending;
      desk.applySending();
      if (!isPress) return;
      earlyMedia.stop();
      tellOthers(beside?.press());
    },
    obstacle() {
      const { state } = microphone.state();
      if (status.state === 'joining' && link === 'up') return 'entering';
      if (status.state !== 'joined') return 'link';
      if (state === 'starting') return 'entering';
      return state === 'ready' ? null : 'microphone';
    },
    looksFree: floor.looksFree,
    play,
    onRenewed: desk.linkWatch.answered,
  });
  talk.setTail(preferences.tailMs);
  const holds = createTalkHolds(talk);
  const soundCheck = createSoundCheck({
    ...{ clock, read: desk.ownLevel.read },
    onChange(isSoundless) {
      if (isSoundless) play('unheard');
      refresh();
    },
  });
  const recap = createRecap({
    ...{ clock, signalling: toRoom, floor },
    isLinked: (id) => peerState(id) === 'connected',
    onGap: () => recent.refresh(),
  });
  // After the recap, which by then knows who was audible.
  const recent = createRecentTalks({
    ...{ clock, signalling: toRoom, floor },
    self: people.self,
    memory: options.memory ?? null,
    wasHeard: recap.wasHeard,
  });

  const tellOthers = (text: string | null | undefined) => {
    if (text) media.tell(text, people.ids());
  };

  /** The links of who isn't in the room belong to other rooms. */
  const peerState = (id: ParticipantId) => (isEntered ? media.peerState(id) : 'interrupted');

  const refresh = () => {
    const next = takeSnapshot(
      {
        ...{ status, channel, self: people.self(), others: people.others(), loudness },
        ...{ floor, talk, soundCheck, microphone, playback },
        ...{ recap, recent, platform, peerState },
      },
      snapshot,
    );
    if (next === snapshot) return;
    snapshot = next;
    listeners.tell();
  };

  const isFinal = () => status.state === 'closed' || status.state === 'refused';
  const isIn = () => status.state === 'joined' || status.state === 'silent';

  /** Nothing comes from the server any more, nor is waited for. */
  const disconnect = () => {
    joins.cancel();
    if (watched !== null) desk.linkWatch.remove(watched);
    watched = null;
    video?.left();
    news.drop();
  };

  const dropMedia = () => {
    cancelKeep();
    lostAt = null;
    beside?.left();
    isEntered = false;
    desk.applyPeople();
  };

  const giveUp = () => {
    dropMedia();
    talk.left();
    floor.reset();
    refresh();
  };

  /** The server can't be reached. Connections, whoever talks and the own talk go on until it is back, for a while [TALK153]. */
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
    desk.applyVolumes();
    refresh();
  };

  /** @param isResumed - as the participant that self was, with all that went on meanwhile */
  const settle = (state: RoomState, isResumed: boolean) => {
    if (isEntered && !isResumed) {
      talk.left();
      floor.reset();
    }
    desk.resume = state.resume;
    const keepUntil = isResumed && lostAt !== null ? lostAt + LINK_KEEP_MS : null;
    cancelKeep();
    lostAt = null;
    channel = state.channel;
    status = { state: 'joined' };
    beside?.entered(state);
    media.reenter({ self: state.self.id, ice: state.ice });
    isEntered = true;
    people.enter(state, keepUntil);
    floor.enter(state.floor);
    if (isResumed) talk.confirm(floor.isOwn());
    news.replay();
    // It may have been the room's end.
    if (isFinal()) return;
    recap.entered(state.stay);
    recent.entered(state.channel.id);
    watched = { channelId: state.channel.id, floor, confirm: recap.confirm, onOut };
    desk.linkWatch.add(watched);
    talk.obstacleChanged();
  };

  const onOut = () => {
    if (isFinal()) return;
    goOnWithout();
    void join();
  };

  const join = async () => {
    disconnect();
    news.wait();
    // By its id when coming back: it may have been renamed while the link was down, and another one be called so [PRES16].
    const back = { channelId: channel?.id ?? channelId, resume: desk.resume };
    const shows = video?.shown();
    const target = {
      room: channel?.rtcSession ?? room,
      ...{ ...back, floor: floor.newest(), claim: talk.claim() },
      ...(!desk.isAlone() && { keep: true }),
      ...(shows && { video: shows }),
    };
    const asked = joins.ask(target);
    // One waits now anyway, and nobody can begin to talk yet.
    desk.sound.prepare();
    const answer = await asked;
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
    // Also without an answer in time: what the beat got says that the connection is alive.
    if (final === null) joins.again(() => link === 'up' && void join());
    else end(final);
  };

  const end = (final: Extract<RoomStatus, { state: 'closed' | 'refused' }>) => {
    if (isFinal()) return;
    // Release the floor first, then leave the room [TALK72].
    talk.close();
    status = final;
    for (const stop of stops) stop();
    // Also with a join under way, or one that had no answer in time: the server may take it yet [PRES40].
    const isLeft = final.state === 'closed' && final.reason === 'left';
    const leaves = channel?.id ?? channelId;
    // Without a channel it means all rooms.
    const canSay = leaves !== undefined || desk.isAlone();
    if (isLeft && link === 'up' && canSay) void signalling.send('leave_room', { channelId: leaves });
    disconnect();
    dropMedia();
    earlyMedia.close();
    floor.close();
    recap.close();
    recent.close();
    soundCheck.close();
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
      // The server can't say so: a successor's page did [TALK154].
      if (lostAt !== null && !floor.isOwn()) talk.confirm(false);
      desk.applyAudible();
      desk.linkWatch.floorChanged();
      refresh();
    }),
    media.subscribe(() => {
      people.linksChanged();
      recap.linksChanged();
      refresh();
    }),
    talk.subscribe(() => {
      soundCheck.follow(talk.state());
      refresh();
    }),
    microphone.subscribe(() => {
      if (microphone.state().state !== 'ready') talk.microphoneLost();
      talk.obstacleChanged();
      refresh();
    }),
    playback.subscribe(refresh),
    platform.loudspeaker.subscribe(refresh),
    recap.subscribe(refresh),
    recent.subscribe(refresh),
    news.on('floor_changed', (snapshot) => {
      floor.apply(snapshot);
      tellOthers(beside?.passOn(snapshot));
    }),
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
    // Also between two attempts to come back.
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

  if (video !== null) stops.push(desk.video.use({ ...video.port, takes }));
  refresh();

  const deskRoom: DeskRoom = {
    channelId: () => channel?.id ?? null,
    isJoining: news.isWaiting,
    people: () => (isEntered ? people.peers((userId) => volumeFor(loudness, userId)) : []),
    audible: floor.audible,
    isSending: () => isSending,
    beside,
    onLink,
    onSilence(isSilent) {
      if (!isIn()) return;
      status = { state: isSilent ? 'silent' : 'joined' };
      refresh();
    },
  };

  const visit: VoiceRoom = {
    getSnapshot: () => {
      if (snapshot === null) refresh();
      return snapshot as RoomSnapshot;
    },
    subscribe: listeners.add,
    press(by) {
      if (isFinal()) return;
      microphone.revive();
      // Before all else: whatever it takes to wake the sound is no part of what the others miss [TALK141].
      holds.press(by);
      desk.sound.wake();
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
    dismissMissed: recap.dismiss,
    setPreferences(next) {
      tones.setEnabled(next.tones);
      talk.setTail(next.tailMs);
      floor.setHearsOwn(next.hearsOwnDevices);
      setLoudness(next);
    },
    loudspeaker: platform.loudspeaker,
    probe: desk.probe,
    video,
    hold: desk.hold,
    close: () => end({ state: 'closed', reason: 'left' }),
  };
  return { room: visit, deskRoom };
};
