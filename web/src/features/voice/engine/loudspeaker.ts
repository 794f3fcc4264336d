import { createListeners } from '#src/shared/listeners.ts';
import type { OutputAccess, Stop } from './platform.ts';

/** Immutable; keeps its identity while nothing changes. */
export interface LoudspeakerState {
  /** The one that was chosen; '' is the browser's default. */
  chosenId: string;
  /** What there is to choose besides the default; empty where the browser doesn't tell. */
  choices: readonly { deviceId: string; label: string }[];
  /** The chosen one isn't there or can't be used: sound comes from the default one meanwhile. */
  isGone: boolean;
}

/** The device that voices, tones and rings come out of: one for a page, whatever rooms and calls it opens [TALK124]. */
export interface Loudspeaker {
  getSnapshot(): LoudspeakerState;
  subscribe(listener: () => void): Stop;
  /** False where the browser can't play on another device than its default. */
  readonly canChoose: boolean;
  choose(deviceId: string): void;
  /** Lets the browser ask which; call it within a user gesture. Null: the browser has no such question. */
  readonly ask: (() => Promise<void>) | null;
  /** Where to play now. */
  sinkId(): string;
  /** The browser doesn't play there. */
  refuse(sinkId: string): void;
  /** More devices may be known by now, as after the microphone was allowed. */
  look(): void;
}

/** It lives as long as the page. */
export const createLoudspeaker = (access: OutputAccess, chosenId: string): Loudspeaker => {
  const listeners = createListeners();
  let state: LoudspeakerState = { chosenId, choices: [], isGone: false };
  let isRefused = false;

  const isListed = () => state.choices.some(({ deviceId }) => deviceId === state.chosenId);
  // A browser that lists nothing may know the device all the same: it is tried.
  const isMissing = () => state.chosenId !== '' && (isRefused || (state.choices.length > 0 && !isListed()));

  const sinkId = () => (isMissing() ? '' : state.chosenId);

  /** `wasAt`: where sound came out before. */
  const set = (change: Partial<LoudspeakerState>, wasAt: string) => {
    const before = state;
    state = { ...state, ...change };
    // Without a list nobody knows whether it is gone: browsers hide devices before the microphone is allowed.
    state = { ...state, isGone: isMissing() && state.choices.length > 0 };
    if (sinkId() === wasAt && JSON.stringify(state) === JSON.stringify(before)) state = before;
    else listeners.tell();
  };

  const look = async () => {
    try {
      const choices = (await access.list()).map(({ deviceId, label }) => ({ deviceId, label }));
      const wasAt = sinkId();
      isRefused = false;
      set({ choices }, wasAt);
    } catch {
      // What is chosen already goes on.
    }
  };

  const choose = (deviceId: string) => {
    const wasAt = sinkId();
    isRefused = false;
    set({ chosenId: deviceId }, wasAt);
  };

  const { ask } = access;
  if (access.canChoose) {
    access.onDevicesChanged(() => void look());
    void look();
  }

  return {
    getSnapshot: () => state,
    subscribe: listeners.add,
    canChoose: access.canChoose,
    choose,
    ask:
      ask &&
      (async () => {
        const deviceId = await ask();
        if (deviceId === null) return;
        choose(deviceId);
        await look();
      }),
    sinkId,
    refuse(id) {
      if (id === '' || id !== sinkId()) return;
      isRefused = true;
      set({}, id);
    },
    look: () => {
      if (access.canChoose) void look();
    },
  };
};

/** What plays: an element or a context. Absent where the browser plays on its default device alone. */
export interface Output {
  readonly sinkId?: unknown;
  setSinkId?(sinkId: string): Promise<unknown>;
}

/** Keeps an output on the loudspeaker. Returns the function that ends that. */
export const followLoudspeaker = (output: Output, loudspeaker: Loudspeaker): Stop => {
  let current = '';
  let isOver = false;
  const follow = async () => {
    const next = loudspeaker.sinkId();
    if (output.setSinkId === undefined || next === current) return;
    current = next;
    try {
      await output.setSinkId(next);
    } catch {
      // One that is closed meanwhile is refused too, which says nothing about the device.
      if (!isOver && current === next) loudspeaker.refuse(next);
    }
  };
  const stop = loudspeaker.subscribe(() => void follow());
  void follow();
  return () => {
    isOver = true;
    stop();
  };
};
