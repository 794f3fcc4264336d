import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSignedPaths } from './signed-paths.ts';

describe('a signed path', () => {
  let time = new Date('2026-03-01T10:20:00Z');
  const key = randomBytes(32);
  const signedWith = (key: Buffer) => createSignedPaths(key, () => time);
  const paths = signedWith(key);
  const queryOf = (signed: string) => Object.fromEntries(new URL(signed, 'http://x').searchParams);

  test('is good for an hour or two, and the same within an hour', () => {
    const signed = paths.sign('/files/a.jpg');
    expect(paths.secondsLeft('/files/a.jpg', queryOf(signed))).toBe(6_000);
    time = new Date('2026-03-01T10:59:59Z');
    expect(paths.sign('/files/a.jpg')).toBe(signed);
    time = new Date('2026-03-01T11:00:01Z');
    expect(paths.sign('/files/a.jpg')).not.toBe(signed);
    expect(paths.secondsLeft('/files/a.jpg', queryOf(signed))).toBe(3_599);
    time = new Date('2026-03-01T12:00:00Z');
    expect(paths.secondsLeft('/files/a.jpg', queryOf(signed))).toBeNull();
    time = new Date('2026-03-01T10:20:00Z');
  });

  test('opens wherever the key is the same', () => {
    expect(signedWith(Buffer.from(key)).secondsLeft('/files/a.jpg', queryOf(paths.sign('/files/a.jpg')))).toBe(6_000);
  });

  const good = queryOf(paths.sign('/files/a.jpg'));
  test.each([
    ['another path', '/files/b.jpg', good],
    ['another end', '/files/a.jpg', { ...good, expires: '99999999999' }],
    ['an end that is none', '/files/a.jpg', { ...good, expires: 'NaN' }],
    ['another signature', '/files/a.jpg', { ...good, signature: `A${good.signature?.slice(1)}x` }],
    ['half a signature', '/files/a.jpg', { ...good, signature: good.signature?.slice(0, 20) }],
    ['no signature', '/files/a.jpg', { expires: good.expires }],
    ['two signatures', '/files/a.jpg', { ...good, signature: [good.signature, good.signature] }],
    ['nothing', '/files/a.jpg', {}],
    ['no query at all', '/files/a.jpg', undefined],
    ['the signature of another key', '/files/a.jpg', queryOf(signedWith(randomBytes(32)).sign('/files/a.jpg'))],
  ])('does not open with %s', (_what, path, query) => {
    expect(paths.secondsLeft(path, query)).toBeNull();
  });
});
