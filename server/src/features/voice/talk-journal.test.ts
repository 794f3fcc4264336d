import { channelId } from '@pressel/contract/ids';
import { PAST_TALKS_MAX, STAY_PROOF_MAX_LENGTH } from '@pressel/contract/limits';
import { expect, test } from 'vitest';
import { CHANNEL, id, userOf } from '#test/floor-harness.ts';
import { createStayProofs } from './stay-proof.ts';
import { createTalkJournal } from './talk-journal.ts';

const OTHER_CHANNEL = channelId.parse('01900000-0000-7000-8000-00000000000d');
const talkerOf = (name: string) => ({ id: id(name), userId: userOf(name), name });

test('[TALK105] lists talks that are over, begun after a version, of other users, of this channel, oldest first', () => {
  const journal = createTalkJournal();
  const say = (name: string, version: number, from: number, to: number) => {
    journal.began(CHANNEL, talkerOf(name), version, from);
    journal.ended(CHANNEL, id(name), to);
  };
  say('ana', 1, 1_000, 2_000);
  say('bo', 3, 3_000, 4_000);
  say('me', 5, 5_000, 6_000);
  say('ana', 7, 7_000, 8_000);
  journal.began(CHANNEL, talkerOf('bo'), 9, 9_000);
  const names = (version: number) => journal.since(CHANNEL, userOf('me'), version, 10_000)?.map(({ name }) => name);
  expect(names(0)).toEqual(['ana', 'bo', 'ana']);
  expect(names(1)).toEqual(['bo', 'ana']);
  expect(names(7)).toEqual([]);
  expect(journal.since(CHANNEL, userOf('me'), 3, 10_000)).toEqual([
    { id: 'ana', name: 'ana', beganMsAgo: 3_000, endedMsAgo: 2_000 },
  ]);
  expect(journal.since(OTHER_CHANNEL, userOf('me'), 0, 10_000)).toEqual([]);
  journal.forget(CHANNEL);
  expect(names(0)).toEqual([]);
});

test('[TALK105] no number is told when some of the talks are not known any more', () => {
  const journal = createTalkJournal();
  for (let version = 1; version <= PAST_TALKS_MAX + 5; version += 1) {
    journal.began(CHANNEL, talkerOf('ana'), version, version);
    journal.ended(CHANNEL, id('ana'), version);
  }
  expect(journal.since(CHANNEL, userOf('me'), 4, 1_000)).toBeNull();
  expect(journal.since(CHANNEL, userOf('me'), 5, 1_000)).toHaveLength(PAST_TALKS_MAX);
});

test('a proof of a stay is worth something for its user, channel, version and key only', () => {
  const stays = createStayProofs(Buffer.alloc(32, 1));
  const proof = stays.make(CHANNEL, userOf('ana'), 12);
  expect(proof.length).toBeLessThanOrEqual(STAY_PROOF_MAX_LENGTH);
  expect(stays.make(CHANNEL, userOf('ana'), Number.MAX_SAFE_INTEGER).length).toBeLessThanOrEqual(STAY_PROOF_MAX_LENGTH);
  expect(stays.check(proof, CHANNEL, userOf('ana'))).toBe(12);
  expect(stays.check(proof, CHANNEL, userOf('bo'))).toBeNull();
  expect(stays.check(proof, OTHER_CHANNEL, userOf('ana'))).toBeNull();
  expect(stays.check(proof.replace('12.', '1.'), CHANNEL, userOf('ana'))).toBeNull();
  expect(createStayProofs(Buffer.alloc(32, 2)).check(proof, CHANNEL, userOf('ana'))).toBeNull();
  for (const nonsense of ['', '.', '12', '12.', '12.AAAA', 'é.é']) {
    expect(stays.check(nonsense, CHANNEL, userOf('ana'))).toBeNull();
  }
});
