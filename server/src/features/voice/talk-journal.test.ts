import { channelId } from '@pressel/contract/ids';
import { PAST_TALKS_MAX, ROOM_PROOF_MAX_LENGTH } from '@pressel/contract/limits';
import { desc } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { floorTalks } from '#src/db/schema/floors.ts';
import { CHANNEL, id, userOf } from '#test/floor-harness.ts';
import { watchStatements } from '#test/statements.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { PATIENCE_MS } from '#test/wait-until.ts';
import { createRoomProofs } from './floor-signature.ts';
import { createSharedTalkJournal, createTalkJournal, type TalkJournal } from './talk-journal.ts';

const OTHER_CHANNEL = channelId.parse('01900000-0000-7000-8000-00000000000d');
const talkerOf = (name: string, since = 0) => ({ id: id(name), userId: userOf(name), name, since });

describe.each(['in memory', 'in the database'])('the journal %s', (place) => {
  let journal: TalkJournal;
  let close: () => Promise<void>;
  beforeEach(async () => {
    if (place === 'in memory') {
      journal = createTalkJournal();
      close = async () => undefined;
      return;
    }
    const database = await openTestDatabase();
    journal = createSharedTalkJournal(database.db, pino({ enabled: false }));
    close = database.close;
  });
  afterEach(() => close());

  const say = (name: string, version: number, from: number, to: number) => {
    journal.began(CHANNEL, talkerOf(name, from), version);
    journal.ended(CHANNEL, talkerOf(name, from), to);
  };
  const names = async (version: number) =>
    (await journal.since(CHANNEL, userOf('me'), version, () => 10_000))?.map(({ name }) => name);

  test('[TALK105] lists talks that are over, begun after a version, of other users, of this channel, oldest first', async () => {
    say('ana', 1, 1_000, 2_000);
    say('bo', 3, 3_000, 4_000);
    say('me', 5, 5_000, 6_000);
    say('ana', 7, 7_000, 8_000);
    journal.began(CHANNEL, talkerOf('bo', 9_000), 9);
    await expect.poll(() => names(0), { timeout: PATIENCE_MS }).toEqual(['ana', 'bo', 'ana']);
    expect(await names(1)).toEqual(['bo', 'ana']);
    expect(await names(7)).toEqual([]);
    expect(await journal.since(CHANNEL, userOf('me'), 3, () => 10_000)).toEqual([
      { id: 'ana', name: 'ana', beganMsAgo: 3_000, endedMsAgo: 2_000 },
    ]);
    expect(await journal.since(OTHER_CHANNEL, userOf('me'), 0, () => 10_000)).toEqual([]);
    await journal.forget(CHANNEL);
    expect(await names(0)).toEqual([]);
  });

  test('[TALK105] no number is told when some of the talks are not known any more', async () => {
    for (let version = 1; version <= PAST_TALKS_MAX + 5; version += 1) say('ana', version, version, version);
    await expect.poll(() => names(5), { timeout: PATIENCE_MS }).toHaveLength(PAST_TALKS_MAX);
    expect(await names(4)).toBeUndefined();
  });
});

test('[TALK105] the end of a talk may be stored before its beginning, by another process', async () => {
  const database = await openTestDatabase();
  const [one, two] = [1, 2].map(() => createSharedTalkJournal(database.db, pino({ enabled: false })));
  one?.ended(CHANNEL, talkerOf('ana', 1_000), 2_000);
  const known = async () => (await two?.since(CHANNEL, userOf('me'), 0, () => 3_000))?.length;
  await expect.poll(async () => (await database.db.select().from(floorTalks)).length, { timeout: PATIENCE_MS }).toBe(1);
  expect(await known()).toBe(0);
  two?.began(CHANNEL, talkerOf('ana', 1_000), 7);
  await expect.poll(known, { timeout: PATIENCE_MS }).toBe(1);
  await database.close();
});

describe('[PROC102] what becomes known of talks within a moment is stored together', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>;
  let watch: ReturnType<typeof watchStatements>;
  beforeEach(async () => {
    database = await openTestDatabase();
    watch = watchStatements();
  });
  afterEach(async () => {
    watch.stop();
    await database.close();
  });

  /** A journal whose pauses end when the test says so. */
  const paused = () => {
    const pauses: { ms: number; end(): void }[] = [];
    const pause = (ms: number) => new Promise<void>((end) => pauses.push({ ms, end }));
    const journal = createSharedTalkJournal(database.db, pino({ enabled: false }), pause);
    return { journal, pauses };
  };
  const puts = () => watch.texts.filter((text) => text.startsWith('insert into "floor_talks"')).length;
  const stored = async () => (await database.db.select().from(floorTalks)).length;

  test('twenty talks of ten channels are one statement', async () => {
    const { journal, pauses } = paused();
    for (let index = 0; index < 20; index += 1) {
      const channel = channelId.parse(`01900000-0000-7000-8000-0000000001${String(index % 10).padStart(2, '0')}`);
      journal.began(channel, talkerOf('ana', index), index + 1);
      journal.ended(channel, talkerOf('ana', index), index + 1);
    }
    expect(pauses).toHaveLength(1);
    expect(puts()).toBe(0);
    pauses[0]?.end();
    await expect.poll(stored, { timeout: PATIENCE_MS }).toBe(20);
    expect(puts()).toBe(1);
    await journal.close();
  });

  test('a reader waits until every process has stored what it gathered before, and stores its own', async () => {
    const [one, two] = [paused(), paused()];
    one.journal.began(CHANNEL, talkerOf('ana', 1_000), 7);
    one.journal.ended(CHANNEL, talkerOf('ana', 1_000), 2_000);
    two.journal.began(CHANNEL, talkerOf('bo', 1_500), 8);
    two.journal.ended(CHANNEL, talkerOf('bo', 1_500), 2_500);
    const read = two.journal.since(CHANNEL, userOf('me'), 0, () => 3_000);
    await expect.poll(stored, { timeout: PATIENCE_MS }).toBe(1);
    const [gathering, reading] = [one.pauses[0], two.pauses[1]];
    expect(reading?.ms).toBeGreaterThan(gathering?.ms ?? 0);
    gathering?.end();
    await expect.poll(stored, { timeout: PATIENCE_MS }).toBe(2);
    reading?.end();
    expect((await read)?.map(({ name }) => name)).toEqual(['ana', 'bo']);
    await Promise.all([one, two].map(({ journal }) => journal.close()));
  });

  test('a process that ends stores what waits, and gathers nothing more', async () => {
    const { journal, pauses } = paused();
    journal.began(CHANNEL, talkerOf('ana', 1_000), 7);
    await journal.close();
    expect(await stored()).toBe(1);
    pauses[0]?.end();
    journal.began(CHANNEL, talkerOf('bo', 2_000), 8);
    await expect.poll(stored, { timeout: PATIENCE_MS }).toBe(2);
    expect(pauses).toHaveLength(1);
  });

  test('beyond what is told, old talks are deleted from time to time', async () => {
    const { journal, pauses } = paused();
    const KEPT = PAST_TALKS_MAX + 1;
    for (let version = 1; version <= 3 * KEPT; version += 1) {
      journal.began(CHANNEL, talkerOf('ana', version), version);
      if (version % KEPT > 0) continue;
      pauses.at(-1)?.end();
      const newest = async () =>
        (await database.db.select().from(floorTalks).orderBy(desc(floorTalks.version)).limit(1))[0]?.version;
      await expect.poll(newest, { timeout: PATIENCE_MS }).toBe(version);
      await expect.poll(stored, { timeout: PATIENCE_MS }).toBe(KEPT);
    }
    await journal.close();
  });
});

test('a proof of a stay is worth something for its user, channel, version and key only', () => {
  const stays = createRoomProofs(Buffer.alloc(32, 1));
  const proof = stays.make(CHANNEL, userOf('ana'), 12);
  expect(proof.length).toBeLessThanOrEqual(ROOM_PROOF_MAX_LENGTH);
  expect(stays.make(CHANNEL, userOf('ana'), Number.MAX_SAFE_INTEGER).length).toBeLessThanOrEqual(ROOM_PROOF_MAX_LENGTH);
  expect(stays.check(proof, CHANNEL, userOf('ana'))).toBe(12);
  expect(stays.check(proof, CHANNEL, userOf('bo'))).toBeNull();
  expect(stays.check(proof, OTHER_CHANNEL, userOf('ana'))).toBeNull();
  expect(stays.check(proof.replace('12.', '1.'), CHANNEL, userOf('ana'))).toBeNull();
  expect(createRoomProofs(Buffer.alloc(32, 2)).check(proof, CHANNEL, userOf('ana'))).toBeNull();
  for (const nonsense of ['', '.', '12', '12.', '12.AAAA', 'é.é']) {
    expect(stays.check(nonsense, CHANNEL, userOf('ana'))).toBeNull();
  }
});
