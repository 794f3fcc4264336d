import type { RoomState } from '@pressel/contract/presence';
import type { FloorNews } from '@pressel/contract/voice';
import { createFloorView, type FloorView } from './floor.ts';
import type { RoomPeople } from './joining.ts';
import { createSoundCheck } from './levels.ts';
import { createEarlyMedia, createPeerFloorNews, type PeerFloorNews } from './peer-floor-news.ts';
import type { EngineForRooms } from './room-types.ts';
import { createTalkControl, type TalkControl } from './talk-control.ts';
import { createTalkHolds, type TalkHolds } from './talk-holds.ts';
import type { EnginePreferences, Signalling, TalkSound } from './types.ts';

export interface RoomTalkDeps {
  engine: Omit<EngineForRooms, 'signalling'>;
  /** Sends events about the room. */
  signalling: Pick<Signalling, 'send'>;
  people: Pick<RoomPeople, 'self' | 'others' | 'ids'>;
  preferences: EnginePreferences;
  /** Returns the obstacle to a press now, besides the microphone; null for none. */
  obstacle(): 'link' | 'entering' | null;
  /** Called when the own talk or the microphone's known state changed. */
  onChange(): void;
}

/** The floor of one room, and self's talk there. */
export interface RoomTalk {
  readonly floor: FloorView;
  readonly talk: TalkControl;
  /** Presses and releases by their holds. */
  readonly holds: TalkHolds;
  /** Null where the browser can't check the server's signatures. */
  readonly peerNews: PeerFloorNews | null;
  /** Whether self's voice goes to the room. */
  isSending(): boolean;
  /** Whether self is on the air and the microphone has delivered nothing at all so far [TALK122]. */
  isSoundless(): boolean;
  /**
   * Applies the answer to a join. `isResumed`: self is the same participant as before, with everything that went on
   * meanwhile.
   */
  entered(state: RoomState, isResumed: boolean): void;
  /** Applies the server's news; the links pass them on if they concern the own talk. */
  apply(news: FloorNews): void;
  /** Call when the participant is gone, with its floor. */
  left(): void;
  setPreferences(preferences: Pick<EnginePreferences, 'tailMs' | 'hearsOwnDevices'>): void;
  /** Final. The caller closes the talk first. */
  close(): void;
}

export const createRoomTalk = ({ engine, signalling, people, ...deps }: RoomTalkDeps): RoomTalk => {
  const { microphone, media } = engine;
  const { clock, checkBy } = engine.platform;
  /** Identifies the room to the tones. */
  const room = {};
  let isSending = false;

  const floor = createFloorView({ clock, self: people.self, isPlayed: media.isPlayed, bufferedMs: media.bufferedMs });
  const earlyMedia = createEarlyMedia({
    ...{ clock, floor, others: people.others, isSending: () => isSending },
    spent: engine.playedEarly,
  });
  const peerNews = checkBy && createPeerFloorNews({ floor, checkBy, onPress: earlyMedia.pressed });
  const tellOthers = (text: string | null | undefined) => {
    if (text) media.tell(text, people.ids());
  };
  const play = (sound: TalkSound) => engine.tones.play(sound, room);

  const talk = createTalkControl({
    clock,
    signalling,
    setSending(sending) {
      const isPress = sending && !isSending;
      isSending = sending;
      engine.applySending();
      if (!isPress) return;
      earlyMedia.stop();
      tellOthers(peerNews?.press());
    },
    obstacle() {
      const { state } = microphone.state();
      const obstacle = deps.obstacle();
      if (obstacle !== null) return obstacle;
      if (state === 'starting') return 'entering';
      return state === 'ready' ? null : 'microphone';
    },
    looksFree: floor.looksFree,
    play,
    onRenewed: engine.linkWatch.answered,
  });
  const soundCheck = createSoundCheck({
    ...{ clock, read: engine.ownLevel.read },
    onChange(isSoundless) {
      if (isSoundless) play('unheard');
      deps.onChange();
    },
  });

  const setPreferences: RoomTalk['setPreferences'] = ({ tailMs, hearsOwnDevices }) => {
    talk.setTail(tailMs);
    floor.setHearsOwn(hearsOwnDevices);
  };
  setPreferences(deps.preferences);

  const left = () => {
    talk.left();
    floor.reset();
  };

  const stops = [
    talk.subscribe(() => {
      soundCheck.follow(talk.state());
      deps.onChange();
    }),
    microphone.subscribe(() => {
      if (microphone.state().state !== 'ready') talk.microphoneLost();
      talk.obstacleChanged();
      deps.onChange();
    }),
  ];

  return {
    ...{ floor, talk, peerNews, holds: createTalkHolds(talk) },
    isSending: () => isSending,
    isSoundless: soundCheck.isSoundless,
    entered(state, isResumed) {
      peerNews?.entered(state);
      floor.enter(state.floor);
      if (isResumed) talk.confirm(floor.isOwn());
    },
    apply(news) {
      floor.apply(news);
      tellOthers(peerNews?.passOn(news));
    },
    left,
    setPreferences,
    close() {
      for (const stop of stops) stop();
      earlyMedia.close();
      floor.close();
      soundCheck.close();
    },
  };
};
