import type { ChannelId } from '@pressel/contract/ids';
import { TYPING_MS } from '@pressel/contract/limits';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';

/** Minimum interval between two typing events, ms. */
export const TELL_MS = 1_000;

/** Display names of users who type, in the order in which they began. */
export interface Typing extends SnapshotSource<readonly string[]> {
  /** Call when the user typed. */
  typed(): void;
  close(): void;
}

export interface TypingDeps {
  realtime: Pick<Realtime, 'on' | 'send'>;
  channelId: ChannelId;
  userId: string;
  now?: () => number;
}

export function createTyping({ realtime, channelId, userId, now = Date.now }: TypingDeps): Typing {
  const listeners = createListeners();
  const names = new Map<string, { name: string; timer: ReturnType<typeof setTimeout> }>();
  let snapshot: readonly string[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;

  const tell = (): void => {
    snapshot = [...names.values()].map(({ name }) => name);
    listeners.notify();
  };
  const clear = (id: string): void => {
    const known = names.get(id);
    if (known === undefined) return;
    clearTimeout(known.timer);
    names.delete(id);
    tell();
  };
  const stops = [
    realtime.on('typingResponse', (news) => {
      if (news.channelId !== channelId || news.userId === userId) return;
      const known = names.get(news.userId);
      clearTimeout(known?.timer);
      names.set(news.userId, { name: news.name, timer: setTimeout(() => clear(news.userId), TYPING_MS) });
      if (known?.name !== news.name) tell();
    }),
    realtime.on('messageResponse', (message) => {
      if (message.channelId === channelId) clear(message.userId);
    }),
  ];
  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    typed() {
      if (now() - toldAt < TELL_MS) return;
      toldAt = now();
      void realtime.send('typing', { channelId });
    },
    close() {
      for (const stop of stops) stop();
      for (const { timer } of names.values()) clearTimeout(timer);
    },
  };
}
