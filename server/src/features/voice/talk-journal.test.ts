import { channelId } from '@pressel/contract/ids';
import { PAST_TALKS_MAX, ROOM_PROOF_MAX_LENGTH } from '@pressel/contract/limits';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { floorTalks } from '#src/db/schema/floors.ts';
import { CHANNEL, id, userOf } from '#test/floor-harness.ts';
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
    (await journal.since(CHANNEL, userOf('me'), version, 10_000))?.map(({ name }) => name);

  test('[TALK105] lists talks that are over, begun after a version, of other users, of this channel, oldest first', async () => {
    say('ana', 1, 1_000, 2_000);
    say('bo', 3, 3_000, 4_000);
    say('me', 5, 5_000, 6_000);
    say('ana', 7, 7_000, 8_000);
    journal.began(CHANNEL, talkerOf('bo', 9_000), 9);
    await expect.poll(() => names(0), { timeout: PATIENCE_MS }).toEqual(['ana', 'bo', 'ana']);
    expect(await names(1)).toEqual(['bo', 'ana']);
    expect(await names(7)).toEqual([]);
    expect(await journal.since(CHANNEL, userOf('me'), 3, 10_000)).toEqual([
      { id: 'ana', name: 'ana', beganMsAgo: 3_000, endedMsAgo: 2_000 },
    ]);
    expect(await journal.since(OTHER_CHANNEL, userOf('me'), 0, 10_000)).toEqual([]);
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
  const known = async () => (await two?.since(CHANNEL, userOf('me'), 0, 3_000))?.length;
  await expect.poll(async () => (await database.db.select().from(floorTalks)).length, { timeout: PATIENCE_MS }).toBe(1);
  expect(await known()).toBe(0);
  two?.began(CHANNEL, talkerOf('ana', 1_000), 7);
  await expect.poll(known, { timeout: PATIENCE_MS }).toBe(1);
  await database.close();
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
