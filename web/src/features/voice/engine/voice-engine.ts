import type { ParticipantId } from '@pressel/contract/ids';
import { createListeners } from '#src/shared/listeners.ts';
import type { LinkState } from '#src/shared/realtime/realtime.ts';
import { createOwnLevel } from './levels.ts';
import { createLinkWatch } from './link-watch.ts';
import { createMesh, type MeshDeps } from './mesh.ts';
import { createMicrophone } from './microphone.ts';
import { createPageTalk } from './page-talk.ts';
import { readNews } from './peer-floor-news.ts';
import type { Platform, Stop } from './platform.ts';
import { createPlayback } from './playback.ts';
import { createRoomSession } from './room-session.ts';
import type { EngineDevices, EngineForRooms, RoomHandle, RoomOptions, RoomSession } from './room-types.ts';
import type { Signalling, VoiceMedia } from './types.ts';
import type { VideoPort } from './video.ts';
import { createTones } from './web-audio.ts';

/** Makes the media layer before the first room is entered, because offers may come before the answer to the join. */
export type OpenMedia = (deps: MeshDeps) => VoiceMedia;

export interface VoiceEngineDeps {
  signalling: Signalling;
  platform: Platform;
  /** Empty or absent for the browser's default microphone. */
  preferences: { tones: boolean; microphoneId?: string };
  openMedia?: OpenMedia;
}

/**
 * One page's voice engine. Rooms and calls share its microphone, audio contexts and playback. Rooms also share its tones,
 * connections, link watch, talk key, and the events that end talks. The engine asks for the microphone at once. It closes
 * when the last room is left and nothing else holds it; after that it can't be used again.
 */
export interface VoiceEngine {
  /** Enters a room, rejoins it after lost links and server restarts, and leaves it when it is closed. Never throws. */
  enter(room: RoomOptions): RoomSession;
  /** Devices that a call shares with the rooms; the call holds the engine open while it goes on. */
  readonly devices: EngineDevices;
  isClosed(): boolean;
}

export const createVoiceEngine = (deps: VoiceEngineDeps): VoiceEngine => {
  const { signalling, platform, preferences, openMedia = createMesh } = deps;
  const { clock, sound } = platform;
  const rooms = new Set<RoomHandle>();
  const holds = new Set<symbol>();
  const tones = createTones(sound, clock, preferences.tones);
  const playback = createPlayback(platform);
  const voices = playback.openVoices();
  const microphone = createMicrophone(platform);
  const ownLevel = createOwnLevel(sound, microphone, clock);
  const pageTalk = createPageTalk();
  const video = createVideoSwitch();
  let link: LinkState | null = null;
  let isClosed = false;

  const media = openMedia({
    ...{ platform, signalling, microphone, voices, video: video.port, ownLevel: ownLevel.level },
    news: platform.checkBy && {
      first: (to) =>
        [...rooms].flatMap((room) => {
          const text = isIn(room, to) ? room.peerNews?.first() : null;
          return text ? [text] : [];
        }),
      hear(from, text) {
        const news = readNews(text);
        const room = [...rooms].find((one) => one.channelId() === news?.channelId && isIn(one, from));
        // The text is of a room that was left, or that self or the sender is entering: nobody here needs it, but the
        // sender stays worth listening to.
        return room?.peerNews?.hear(from, text) ?? Promise.resolve(news !== null);
      },
    },
    isJoining: () => [...rooms].some((room) => room.isJoining()),
  });
  const linkWatch = createLinkWatch({
    clock,
    signalling,
    isSounding: media.isSounding,
    onSilence(isSilent) {
      for (const room of rooms) room.onSilence(isSilent);
    },
  });

  const applySending = () => {
    const sending = [...rooms].filter((room) => room.isSending());
    // The track comes first: it opens and closes the microphone at once; stopping packets may take longer [TALK40].
    microphone.setOpen(sending.length > 0);
    media.setSending(sending.length === 0 ? 'nobody' : idsOf(sending.flatMap((room) => room.people())));
  };
  const applyVolumes = () => {
    const volumes = new Map<ParticipantId, number>();
    // A talker is as loud as in the room where they talk.
    for (const isAudible of [false, true]) {
      const found = new Map<ParticipantId, number>();
      for (const room of rooms) {
        for (const { id, volume } of room.people()) {
          if (room.audible().has(id) === isAudible) found.set(id, Math.max(found.get(id) ?? 0, volume));
        }
      }
      for (const [id, volume] of found) volumes.set(id, volume);
    }
    voices.setVolumes(volumes);
  };

  const engine: EngineForRooms = {
    ...{ signalling, platform, microphone, tones, playback, ownLevel, media, linkWatch },
    ...{ video, pageTalk },
    probe: { track: microphone.track, meter: sound.meter },
    resume: null,
    playedEarly: new Set(),
    keepOpen() {
      const hold = Symbol('hold');
      holds.add(hold);
      return () => {
        holds.delete(hold);
        closeUnlessHeld();
      };
    },
    isAlone: () => rooms.size <= 1,
    applyVolumes,
    applySending,
    applyPeople() {
      applyVolumes();
      media.setParticipants([...rooms].flatMap((room) => room.people()));
      applySending();
    },
    applyAudible() {
      if (rooms.size > 1) applyVolumes();
      media.setAudible(new Set([...rooms].flatMap((room) => [...room.audible()])));
    },
  };

  const close = () => {
    isClosed = true;
    stopLink();
    linkWatch.close();
    ownLevel.close();
    media.close();
    playback.close();
    microphone.close();
  };
  const closeUnlessHeld = () => {
    if (!isClosed && rooms.size === 0 && holds.size === 0) close();
  };

  // This handler comes first: when others hear of a lost link, the microphone of a press without the floor is already
  // closed [TALK68].
  const stopLink = signalling.onLink((next) => {
    // Ignore a repeated state: joining again would end a talk without telling the server.
    if (next === link) return;
    link = next;
    for (const room of [...rooms]) room.onLink(next);
  }, 'first');
  void (preferences.microphoneId ? microphone.select(preferences.microphoneId) : microphone.start());

  return {
    enter(options) {
      const { session, roomHandle } = createRoomSession(engine, options, () => {
        leave();
        rooms.delete(roomHandle);
        engine.applyPeople();
        engine.applyAudible();
        closeUnlessHeld();
      });
      rooms.add(roomHandle);
      const leave = pageTalk.add(session);
      if (link !== null) roomHandle.onLink(link);
      return session;
    },
    devices: { signalling, platform, microphone, playback, keepOpen: engine.keepOpen },
    isClosed: () => isClosed,
  };
};

const idsOf = (people: readonly { id: ParticipantId }[]): ReadonlySet<ParticipantId> =>
  new Set(people.map(({ id }) => id));

const isIn = (room: RoomHandle, id: ParticipantId): boolean => room.people().some((one) => one.id === id);

/** The pictures of the one room that has video, or none. Links are built by its answers at that time [VID2]. */
const createVideoSwitch = () => {
  const listeners = createListeners();
  let current: VideoPort | null = null;
  const port: VideoPort = {
    takes: (id) => current?.takes(id) ?? false,
    own: () => current?.own() ?? null,
    subscribe: listeners.add,
    attach: (id, track) => current?.attach(id, track),
    detach: (id) => current?.detach(id),
  };
  return {
    port,
    use(next: VideoPort): Stop {
      current = next;
      const stop = next.subscribe(listeners.notify);
      return () => {
        stop();
        if (current === next) current = null;
      };
    },
  };
};
