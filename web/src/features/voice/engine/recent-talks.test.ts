import type { LoggedTalk } from '@pressel/contract/voice';
import { expect, test } from 'vitest';
import { createFakeClock, settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import { type Bench, CHANNEL, floorOf, linkAll, openRoom, participantOf, roomStateOf } from '#test/voice-bench.ts';
import type { KeptTalks, TalkMemory } from './types.ts';

/** The tab's memory, which survives reloads. */
function createMemory(): TalkMemory {
  const kept = new Map<string, KeptTalks>();
  return { read: (id) => kept.get(id), keep: (id, talks) => void kept.set(id, talks) };
}

/** A tab, whose clock and storage survive reloads, and a server with a log of talks, by the tab's clock. */
function createTab() {
  const [clock, memory] = [createFakeClock(), createMemory()];
  const log: { name: string; from: number; to: number; talks?: number }[] = [];
  const listed = (): LoggedTalk[] =>
    log
      .toSorted((one, other) => other.to - one.to)
      .slice(0, 10)
      .map(({ name, from, to, talks = 1 }) => ({
        ...{ userId: participantOf(name).userId, name, talkMs: to - from, talks },
        ...{ beganMsAgo: clock.wall() - from, endedMsAgo: clock.wall() - to },
      }));
  const load = async (): Promise<Bench> => {
    const bench = await openRoom({ others: ['bob', 'cid'], clock, memory, lastTalks: listed });
    linkAll(bench);
    return bench;
  };
  /** Somebody talks for two seconds. The server logs it; the page is told only while it listens. */
  const talk = async (name: string, version: number, bench?: Bench) => {
    const from = clock.wall();
    bench?.signalling.emit('floor_changed', floorOf(version, [name]));
    await clock.advance(2_000);
    log.push({ name, from, to: clock.wall() });
    bench?.signalling.emit('floor_changed', floorOf(version + 1));
    await clock.advance(1_000);
  };
  return { clock, log, load, talk };
}

const shown = ({ room }: Bench) => room.getSnapshot().recentTalks.map(({ name, hearing }) => `${name} ${hearing}`);

test('[TALK130] a talk that ends is in the list, newest first, without asking the server', async () => {
  const tab = createTab();
  const bench = await tab.load();
  const asked = bench.signalling.sentOf('last_talks').length;
  await tab.talk('bob', 2, bench);
  await tab.talk('self', 4, bench);
  await tab.talk('cid', 6, bench);
  expect(shown(bench)).toEqual(['cid heard', 'self own', 'bob heard']);
  expect(bench.room.getSnapshot().recentTalks[0]).toMatchObject({ talkMs: 2_000, endedAt: tab.clock.wall() - 1_000 });
  expect(bench.signalling.sentOf('last_talks')).toHaveLength(asked);
});

test('[TALK130] ten are listed, and those of the log that one entry has say how many they are', async () => {
  const tab = createTab();
  for (let minute = 12; minute > 0; minute -= 1) {
    const to = tab.clock.wall() - minute * 60_000;
    tab.log.push({ name: 'bob', from: to - 2_000, to, talks: minute });
  }
  const bench = await tab.load();
  await tab.talk('cid', 2, bench);
  const { recentTalks } = bench.room.getSnapshot();
  expect(recentTalks.map(({ talks }) => talks)).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('[TALK131] of talks from before one came nothing is said but that', async () => {
  const tab = createTab();
  await tab.talk('bob', 2);
  const bench = await tab.load();
  expect(shown(bench)).toEqual(['bob before']);
});

test('[TALK131] a talk whose talker’s link was down is missed', async () => {
  const tab = createTab();
  const bench = await tab.load();
  linkAll(bench, 'disconnected');
  await tab.talk('bob', 2, bench);
  expect(shown(bench)).toEqual(['bob missed']);
});

test('[TALK130] [TALK131] after a lost link the list has what was said meanwhile, as missed, and what was heard stays so', async () => {
  const tab = createTab();
  const bench = await tab.load();
  await tab.talk('bob', 2, bench);
  bench.signalling.setLink('down');
  await tab.talk('cid', 4);
  bench.signalling.answer('join_room', () => ok<'join_room'>(roomStateOf(['bob', 'cid'], { floor: floorOf(5) })));
  bench.signalling.setLink('up');
  await settle();
  expect(shown(bench)).toEqual(['cid missed', 'bob heard']);
});

test('[TALK130] a time without answers is looked through afterwards, though nobody entered anew', async () => {
  const tab = createTab();
  const bench = await tab.load();
  bench.signalling.answer('beat', () => new Promise(() => undefined) as never);
  await tab.talk('cid', 2);
  bench.signalling.answer('beat', () => ok<'beat'>({}));
  await tab.clock.advance(3_000);
  expect(shown(bench)).toEqual(['cid missed']);
});

test('[TALK131] a reload forgets nothing: neither what was heard, nor that one was there', async () => {
  const tab = createTab();
  await tab.talk('bob', 2);
  const first = await tab.load();
  await tab.talk('cid', 2, first);
  first.room.close();
  await tab.talk('bob', 4);
  expect(shown(await tab.load())).toEqual(['bob missed', 'cid heard', 'bob before']);
});

test('[TALK130] without a memory, as for guests, nothing is asked and nothing listed', async () => {
  const bench = await openRoom({ others: ['bob'] });
  bench.signalling.emit('floor_changed', floorOf(2, ['bob']));
  bench.signalling.emit('floor_changed', floorOf(3));
  await bench.clock.advance(5_000);
  expect(bench.signalling.sentOf('last_talks')).toEqual([]);
  expect(bench.room.getSnapshot().recentTalks).toEqual([]);
  expect(bench.room.getSnapshot().channel?.id).toBe(CHANNEL);
});
