import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import type { Participant, RoomState } from '@pressel/contract/presence';
import { createListeners } from '#src/shared/listeners.ts';
import { createFloorBeside } from './floor-beside.ts';
import { createFloorView } from './floor-view.ts';
import { FINAL, GONE, JOIN_BEAT_LIMIT_MS, rejoinPause, silenceBesideJoin } from './joining.ts';
import { createOwnLevel } from './levels.ts';
import { createLinkWatch } from './link-watch.ts';
import { createMesh } from './mesh.ts';
import { createMicrophone } from './microphone.ts';
import type { Platform, Stop } from './platform.ts';
import { createPlayback } from './playback.ts';
import { type Loudness, takeSnapshot, volumeFor } from './room-snapshot.ts';
import { createSoundCheck } from './sound-check.ts';
import { createTalkControl } from './talk-control.ts';
import { createTalkHolds } from './talk-holds.ts';
import { createTones } from './tones.ts';
import type {
  EnginePreferences,
  LinkState,
  RoomSnapshot,
  RoomStatus,
  Signalling,
  TalkMemory,
  VoiceMedia,
  VoiceRoom,
} from './types.ts';
import type { Video, VideoDeps } from './video.ts';

export interface VoiceRoomDeps {
  /** The channel's rtcSession; anything when `channelId` says which channel. */
  room: string;
  channelId?: ChannelId | undefined;
  signalling: Signalling;
  platform: Platform;
  preferences: EnginePreferences & { microphoneId?: string };
  memory?: TalkMemory | undefined;
  /** Makes the video of a room that has it. Handed in, so that the radio's page doesn't load it [VID2]. */
  createVideo?: (deps: Pick<VideoDeps, 'clock' | 'tell'>) => Video;
}

/** Enters a room, rejoins it after lost links and server restarts, and leaves it on `close`. Never throws. */
export const createVoiceRoom = (deps: VoiceRoomDeps): VoiceRoom => {
  const { room, channelId, signalling, platform, preferences } = deps;
  const { clock } = platform;
  const listeners = createListeners();
  const desk = platform.createDesk();
  const tones = createTones(desk, preferences.tones);
  const playback = createPlayback(platform, desk);
  const microphone = createMicrophone(platform);
  const ownLevel = createOwnLevel(desk, microphone, clock);
  const video =
    deps.createVideo?.({ clock, tell: (shown) => signalling.send('video_state', { video: shown }) }) ?? null;
  const takes = (id: ParticipantId) => others.some((one) => one.id === id && one.video !== undefined);

  let status: RoomStatus = { state: 'joining' };
  let channel: RoomSnapshot['channel'] = null;
  let self: Participant | null = null;
  let others: readonly Participant[] = [];
  let media: VoiceMedia | null = null;
  let link: LinkState | null = null;
  let loudness: Loudness = { ...preferences, isSoundOff: false };
  /** Events of the room that arrived before the answer to the join. */
  let early: (() => void)[] | null = null;
  let joinsFailed = 0;
  /** Number of the join attempt, to ignore answers to earlier ones. */
  let attempt = 0;
  let cancelRejoin: Stop = () => undefined;
  let snapshot: RoomSnapshot | null = null;

  const floor = createFloorView({ clock, self: () => self, isPlayed: (id) => media?.isPlayed(id) ?? false });
  floor.setHearsOwn(preferences.hearsOwnDevices);
  const beside = platform.checkBy && createFloorBeside({ floor, checkBy: platform.checkBy });
  const talk = createTalkControl({
    clock,
    signalling,
    setSending(sending) {
      // The track first: it opens and closes the microphone at once; stopping packets may take longer [TALK40].
      microphone.setOpen(sending);
      media?.setSending(sending);
    },
    obstacle() {
      if (status.state !== 'joined') return 'link';
      return microphone.state().state === 'ready' ? null : 'microphone';
    },
    looksFree: floor.looksFree,
    play: tones.play,
    onRenewed: () => linkWatch.answered(),
  });
  talk.setTail(preferences.tailMs);
  const holds = createTalkHolds(talk);
  const soundCheck = createSoundCheck({
    ...{ clock, read: ownLevel.read },
    onChange(isSoundless) {
      if (isSoundless) tones.play('unheard');
      refresh();
    },
  });

  const linkWatch = createLinkWatch({
    clock,
    signalling,
    floor,
    self: () => self,
    memory: deps.memory ?? null,
    isSounding: () => media?.isSounding() ?? false,
    isLinked: (id) => media?.peerState(id) === 'connected',
    onSilence(isSilent) {
      if (!isIn()) return;
      status = { state: isSilent ? 'silent' : 'joined' };
      refresh();
    },
    onOut() {
      if (isFinal()) return;
      lose({ state: 'lost' });
      void join();
    },
  });

  const refresh = () => {
    const next = takeSnapshot(
      {
        status,
        channel,
        self,
        others,
        loudness,
        floor,
        talk,
        soundCheck,
        microphone,
        playback,
        linkWatch,
        platform,
        peerState: (id) => media?.peerState(id) ?? 'interrupted',
      },
      snapshot,
    );
    if (next === snapshot) return;
    snapshot = next;
    listeners.tell();
  };

  const isFinal = () => status.state === 'closed';
  const isIn = () => status.state === 'joined' || status.state === 'silent';

  const dropMedia = () => {
    attempt += 1;
    cancelRejoin();
    linkWatch.stop();
    beside?.left();
    video?.left();
    early = null;
    media?.close();
    media = null;
  };

  const lose = (next: RoomStatus) => {
    dropMedia();
    talk.linkLost();
    status = next;
    floor.reset();
    refresh();
  };

  const applyVolumes = () =>
    playback.setVolumes(new Map(others.map(({ id, userId }) => [id, volumeFor(loudness, userId)])));

  const setLoudness = (change: Partial<Loudness>) => {
    loudness = { ...loudness, ...change };
    applyVolumes();
    refresh();
  };

  const setOthers = (list: readonly Participant[], newcomer = false) => {
    others = list.filter(({ id }) => id !== self?.id);
    applyVolumes();
    media?.setParticipants(
      others.map(({ id, userId, guest }) => ({ id, person: userId, guestsOf: guest?.link ?? null })),
      newcomer,
    );
    refresh();
  };

  const settle = (state: RoomState, entered: VoiceMedia) => {
    joinsFailed = 0;
    self = state.self;
    channel = state.channel;
    status = { state: 'joined' };
    beside?.entered(state);
    entered.join({ self: state.self.id, ice: state.ice });
    floor.apply(state.floor);
    setOthers(state.participants, true);
    const news = early ?? [];
    early = null;
    for (const tell of news) {
      // One of them may have been the room's end.
      if (!isFinal()) tell();
    }
    if (!isFinal()) linkWatch.start(state.channel.id, state.stay);
  };

  const join = async () => {
    dropMedia();
    talk.linkLost();
    floor.reset();
    const mine = attempt;
    early = [];
    // Created before joining, because an offer may arrive before the answer to the join.
    const entered = createMesh({
      ...{ platform, signalling, microphone, playback, ownLevel: ownLevel.level },
      video: video && { ...video.port, takes },
      news: beside,
    });
    media = entered;
    entered.subscribe(() => {
      linkWatch.linksChanged();
      refresh();
    });
    entered.setAudible(floor.audible());
    // By its id when coming back: it may have been renamed while the link was down, and another one be called so [PRES16].
    const back = channel === null || self === null ? { channelId } : { channelId: channel.id, previous: self.id };
    const shows = video?.shown();
    const target = { room: channel?.rtcSession ?? room, ...back, ...(shows && { video: shows }) };
    const pause = rejoinPause(joinsFailed);
    const limit = Math.min(pause, JOIN_BEAT_LIMIT_MS);
    const silence = silenceBesideJoin({ clock, signalling }, limit, (cancel) => {
      cancelRejoin = cancel;
    });
    const answer = await Promise.race([signalling.send('join_room', target), silence]);
    if (mine !== attempt || isFinal()) return;
    if (answer?.ok) {
      cancelRejoin();
      settle(answer.data, entered);
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
      end(gone);
      return;
    }
    if (FINAL.has(answer.code)) {
      status = { state: 'refused', code: answer.code };
      refresh();
      return;
    }
    // Also without an answer in time: what the beat got says that the connection is alive.
    cancelRejoin = clock.after(pause, () => {
      if (link === 'up') void join();
    });
  };

  const end = (reason: Extract<RoomStatus, { state: 'closed' }>['reason']) => {
    if (isFinal()) return;
    // Release the floor first, then leave the room [TALK72].
    talk.close();
    const wasIn = media !== null;
    status = { state: 'closed', reason };
    for (const stop of stops) stop();
    if (reason === 'left' && wasIn) void signalling.send('leave_room', {});
    dropMedia();
    linkWatch.close();
    floor.close();
    soundCheck.close();
    ownLevel.close();
    video?.close();
    playback.close();
    microphone.close();
    desk.close();
    others = [];
    refresh();
  };

  /** Defers events of the room until the join is answered. */
  const onceJoined = (tell: () => void) => {
    if (early !== null) early.push(tell);
    else if (isIn()) tell();
  };

  const onLink = (next: LinkState) => {
    // Ignore a repeated state: joining again would end a talk without telling the server.
    if (isFinal() || next === link) return;
    link = next;
    if (next === 'up') void join();
    else if (next === 'refused') lose({ state: 'refused', code: 'unauthenticated' });
    else if (isIn()) lose({ state: 'lost' });
    else lose(status);
  };

  const stops: Stop[] = [
    floor.subscribe(() => {
      media?.setAudible(floor.audible());
      refresh();
    }),
    talk.subscribe(() => {
      soundCheck.follow(talk.state());
      refresh();
    }),
    microphone.subscribe(() => {
      if (microphone.state().state !== 'ready') talk.microphoneLost();
      refresh();
    }),
    playback.subscribe(refresh),
    platform.loudspeaker.subscribe(refresh),
    linkWatch.subscribe(refresh),
    signalling.on('floor_changed', (news) =>
      onceJoined(() => {
        if (news.channelId !== channel?.id) return;
        floor.apply(news);
        const text = beside?.passOn(news);
        if (text) media?.tell(text);
      }),
    ),
    signalling.on('floor_reply', (news) => onceJoined(() => news.channelId === channel?.id && talk.reply(news))),
    signalling.on('user joined', (one) =>
      onceJoined(() => setOthers([...others.filter(({ id }) => id !== one.id), one])),
    ),
    signalling.on('user_exit', ({ id }) => onceJoined(() => setOthers(others.filter((one) => one.id !== id)))),
    signalling.on('participant_changed', (news) =>
      onceJoined(() => {
        if (news.id === self?.id) self = news;
        others = others.map((one) => (one.id === news.id ? news : one));
        refresh();
      }),
    ),
    signalling.on('room_changed', (news) =>
      onceJoined(() => {
        if (news.id !== channel?.id) return;
        channel = news;
        refresh();
      }),
    ),
    signalling.on('room_closed', (news) => {
      const tell = () => {
        if (news.channelId === channel?.id) end(news.reason);
      };
      if (early !== null) early.push(tell);
      else tell();
    }),
  ];

  /** Uses a press or release as the user gesture that unlocks playback. */
  const unlockOnGesture = () => {
    if (playback.state() === 'blocked') void playback.unlock();
  };

  refresh();
  // First: whatever else hears of a lost link, the microphone is closed by then [TALK68].
  stops.push(signalling.onLink(onLink, 'first'));
  void (preferences.microphoneId ? microphone.select(preferences.microphoneId) : microphone.start());

  return {
    getSnapshot: () => {
      if (snapshot === null) refresh();
      return snapshot as RoomSnapshot;
    },
    subscribe: listeners.add,
    press(by) {
      if (isFinal()) return;
      desk.wake();
      microphone.revive();
      holds.press(by);
      unlockOnGesture();
    },
    release(by) {
      holds.release(by);
      unlockOnGesture();
    },
    letGo: holds.letGo,
    stop: holds.stop,
    level: (id) => media?.level(id) ?? 0,
    selectMicrophone: microphone.select,
    retryMicrophone: microphone.start,
    unlockAudio: playback.unlock,
    setSoundOff: (isSoundOff) => setLoudness({ isSoundOff }),
    dismissMissed: linkWatch.dismiss,
    setPreferences(next) {
      tones.setEnabled(next.tones);
      talk.setTail(next.tailMs);
      floor.setHearsOwn(next.hearsOwnDevices);
      setLoudness(next);
    },
    loudspeaker: platform.loudspeaker,
    probe: { track: microphone.track, meter: desk.meter },
    video,
    close: () => end('left'),
  };
};
