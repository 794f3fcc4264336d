import type { ParticipantId } from '@pressel/contract/ids';
import type { Participant, RoomState } from '@pressel/contract/presence';
import { createListeners } from '#src/shared/listeners.ts';
import { createEarlyMedia } from './early-media.ts';
import { createFloorBeside } from './floor-beside.ts';
import { createFloorView } from './floor-view.ts';
import { createRoomNews, FINAL, GONE, JOIN_BEAT_LIMIT_MS, rejoinPause, silenceBesideJoin } from './joining.ts';
import type { WatchedRoom } from './link-watch.ts';
import type { Stop } from './platform.ts';
import { createRecap } from './recap.ts';
import { createRecentTalks } from './recent-talks.ts';
import { type Loudness, takeSnapshot, volumeFor } from './room-snapshot.ts';
import { createSoundCheck } from './sound-check.ts';
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
  const takes = (id: ParticipantId) => others.some((one) => one.id === id && one.video !== undefined);

  let status: RoomStatus = { state: 'joining' };
  let channel: RoomSnapshot['channel'] = null;
  let self: Participant | null = null;
  let others: readonly Participant[] = [];
  /** Those of them who were there before self. */
  let earlier: ReadonlySet<ParticipantId> = new Set();
  /** The join was answered, and the link has been up since. */
  let isEntered = false;
  let isSending = false;
  let link: LinkState | null = null;
  let loudness: Loudness = { ...preferences, isSoundOff: false };
  let joinsFailed = 0;
  /** Number of the join attempt, to ignore answers to earlier ones. */
  let attempt = 0;
  let cancelRejoin: Stop = () => undefined;
  let snapshot: RoomSnapshot | null = null;
  let watched: WatchedRoom | null = null;

  const news = createRoomNews({ signalling, channelId: () => channel?.id, isIn: () => isIn() });
  const floor = createFloorView({ clock, self: () => self, isPlayed: media.isPlayed });
  floor.setHearsOwn(preferences.hearsOwnDevices);
  const earlyMedia = createEarlyMedia({ clock, floor, others: () => others, isSending: () => isSending });
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
    self: () => self,
    memory: options.memory ?? null,
    wasHeard: recap.wasHeard,
  });

  const tellOthers = (text: string | null | undefined) => {
    if (text) media.tell(text, new Set(others.map(({ id }) => id)));
  };

  /** The links of who isn't in the room belong to other rooms. */
  const peerState = (id: ParticipantId) => (isEntered ? media.peerState(id) : 'interrupted');

  const refresh = () => {
    const next = takeSnapshot(
      {
        ...{ status, channel, self, others, loudness },
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

  const dropMedia = () => {
    attempt += 1;
    cancelRejoin();
    if (watched !== null) desk.linkWatch.remove(watched);
    watched = null;
    beside?.left();
    video?.left();
    news.drop();
    isEntered = false;
    desk.applyPeople();
  };

  const lose = (next: RoomStatus) => {
    dropMedia();
    talk.linkLost();
    status = next;
    floor.reset();
    refresh();
  };

  const setLoudness = (change: Partial<Loudness>) => {
    loudness = { ...loudness, ...change };
    desk.applyVolumes();
    refresh();
  };

  const setOthers = (list: readonly Participant[]) => {
    others = list.filter(({ id }) => id !== self?.id);
    desk.applyPeople();
    refresh();
  };

  const settle = (state: RoomState) => {
    joinsFailed = 0;
    self = state.self;
    channel = state.channel;
    status = { state: 'joined' };
    beside?.entered(state);
    media.reenter({ self: state.self.id, ice: state.ice });
    floor.apply(state.floor);
    earlier = new Set(state.participants.map(({ id }) => id));
    isEntered = true;
    setOthers(state.participants);
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
    lose({ state: 'lost' });
    void join();
  };

  const join = async () => {
    dropMedia();
    talk.linkLost();
    floor.reset();
    const mine = attempt;
    news.wait();
    // By its id when coming back: it may have been renamed while the link was down, and another one be called so [PRES16].
    const back = channel === null || self === null ? { channelId } : { channelId: channel.id, previous: self.id };
    const shows = video?.shown();
    const target = {
      room: channel?.rtcSession ?? room,
      ...back,
      ...(!desk.isAlone() && { keep: true }),
      ...(shows && { video: shows }),
    };
    const pause = rejoinPause(joinsFailed);
    const limit = Math.min(pause, JOIN_BEAT_LIMIT_MS);
    const silence = silenceBesideJoin({ clock, signalling }, limit, (cancel) => {
      cancelRejoin = cancel;
    });
    const asked = signalling.send('join_room', target);
    // One waits now anyway, and nobody can talk yet.
    desk.sound.prepare();
    const answer = await Promise.race([asked, silence]);
    if (mine !== attempt || isFinal()) return;
    if (answer?.ok) {
      cancelRejoin();
      settle(answer.data);
      if (shows && !isFinal()) video?.entered(shows);
      return;
    }
    dropMedia();
    joinsFailed += 1;
    if (answer === null) {
      cancelRejoin = clock.after(pause - limit, signalling.reconnect);
      return;
    }
    // Who was in it learns what became of it, also when that happened while their link was down.
    const gone = channel === null ? undefined : GONE[answer.code];
    if (gone !== undefined) {
      end({ state: 'closed', reason: gone });
      return;
    }
    if (FINAL.has(answer.code)) {
      end({ state: 'refused', code: answer.code });
      return;
    }
    // Also without an answer in time: what the beat got says that the connection is alive.
    cancelRejoin = clock.after(pause, () => {
      if (link === 'up') void join();
    });
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
    dropMedia();
    earlyMedia.close();
    floor.close();
    recap.close();
    recent.close();
    soundCheck.close();
    video?.close();
    others = [];
    refresh();
    onEnd();
  };

  const onLink = (next: LinkState) => {
    if (isFinal()) return;
    link = next;
    if (next === 'up') void join();
    else if (next === 'refused') end({ state: 'refused', code: 'unauthenticated' });
    else if (isIn()) lose({ state: 'lost' });
    else lose(status);
  };

  const stops: Stop[] = [
    floor.subscribe(() => {
      desk.applyAudible();
      desk.linkWatch.floorChanged();
      refresh();
    }),
    media.subscribe(() => {
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
    news.on('user joined', (one) => setOthers([...others.filter(({ id }) => id !== one.id), one])),
    news.on('user_exit', ({ id }) => setOthers(others.filter((one) => one.id !== id))),
    news.on('participant_changed', (changed) => {
      if (changed.id === self?.id) self = changed;
      others = others.map((one) => (one.id === changed.id ? changed : one));
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
    people: () =>
      isEntered
        ? others.map(({ id, userId, guest }) => ({
            ...{ id, person: userId, guestsOf: guest?.link ?? null, isEarlier: earlier.has(id) },
            volume: volumeFor(loudness, userId),
          }))
        : [],
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
