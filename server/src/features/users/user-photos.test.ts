import { getAllUsers, getUserById, uploadUserPhoto } from '@pressel/contract/users';
import { decode, encode } from 'jpeg-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';

const picture = (width: number, height: number, shade = 200): Buffer =>
  encode({ width, height, data: Buffer.alloc(width * height * 4, shade) }, 80).data;
const dataUrl = (jpeg: Uint8Array): string => `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`;
const PHOTO = picture(256, 256);

/** A segment of a JPEG: marker, length, content. */
const segment = (marker: number, content: string): Buffer => {
  const body = Buffer.from(content, 'latin1');
  const head = Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255]);
  return Buffer.concat([head, body]);
};
const frameAt = PHOTO.indexOf(Buffer.from([0xff, 0xc0]));
const withSize = (height: number, width: number): Buffer => {
  const copy = Buffer.from(PHOTO);
  copy.writeUInt16BE(height, frameAt + 5);
  copy.writeUInt16BE(width, frameAt + 7);
  return copy;
};
const scanAt = PHOTO.indexOf(Buffer.from([0xff, 0xda]));

describe('photos', () => {
  let time: Date;
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    time = new Date();
    t = await buildTestApp({ now: () => time });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const upload = (bytes: Uint8Array | null, token = team.ana.token, userId: string = team.ana.id) =>
    t.post(uploadUserPhoto.path, { userId, photo_url: bytes === null ? '' : dataUrl(bytes) }, token);
  const urlOf = async (token = team.ana.token) =>
    (await t.call(getUserById, { userId: team.ana.id }, token)).body.res.photo_url;
  const get = (url: string) => t.app.inject({ url });

  test('one of their own is shown to its owner and to administrators, by a path that opens without a token', async () => {
    const { status, body } = await upload(PHOTO);
    expect(status).toBe(200);
    expect(await urlOf()).toBe(body.photo_url);
    expect(await urlOf(team.admin.token)).toBe(body.photo_url);
    const { body: list } = await t.call(getAllUsers, {}, team.admin.token);
    expect(list.res.map(({ photo_url }) => photo_url !== null)).toEqual([false, true, false, false]);
    const response = await get(String(body.photo_url));
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': expect.stringMatching(/^private, max-age=\d+, immutable$/u),
    });
    expect(decode(response.rawPayload)).toMatchObject({ width: 256, height: 256 });
  });

  test('nothing of the file is kept but the picture', async () => {
    const soi = PHOTO.subarray(0, 2);
    const told = [segment(0xe1, 'Exif\0\0GPS 48.85 2.35'), segment(0xfe, 'taken by Ana'), segment(0xed, 'Photoshop')];
    const { body } = await upload(Buffer.concat([soi, ...told, PHOTO.subarray(2), Buffer.from('behind the end')]));
    const { rawPayload } = await get(String(body.photo_url));
    expect(rawPayload.toString('latin1')).not.toMatch(/GPS|Ana|Photoshop|behind/u);
    expect(decode(rawPayload)).toMatchObject({ width: 256, height: 256 });
  });

  test.each([
    [
      'PNG',
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    ],
    ['a text', Buffer.from('<script>alert(1)</script>')],
    ['half a JPEG', PHOTO.subarray(0, PHOTO.length / 2)],
    ['a JPEG without its end', PHOTO.subarray(0, -2)],
    ['a JPEG without picture', Buffer.concat([PHOTO.subarray(0, scanAt), Buffer.from([0xff, 0xd9])])],
    ['a JPEG with another picture size than it holds', withSize(0, 256)],
    [
      'a JPEG of two frames',
      Buffer.concat([PHOTO.subarray(0, scanAt), PHOTO.subarray(frameAt, scanAt), PHOTO.subarray(scanAt)]),
    ],
    [
      'a JPEG of a thousand scans',
      Buffer.concat([
        PHOTO.subarray(0, -2),
        ...Array(1_000).fill(segment(0xda, '\x01\x01\0\0\x3f\0')),
        PHOTO.subarray(-2),
      ]),
    ],
    ['two bytes', Buffer.from([0xff, 0xd8])],
  ])('%s is refused as of the wrong type', async (_what, bytes) => {
    const { status, body } = await upload(bytes);
    expect([status, body.code, await urlOf()]).toEqual([415, 'wrong_type', null]);
  });

  test.each([
    ['of more than 128 KiB', Buffer.concat([PHOTO, Buffer.alloc(131_073 - PHOTO.length)])],
    ['257 pixels wide', picture(257, 10)],
    ['257 pixels high', picture(10, 257)],
    ['said to be 10,000 pixels each way', withSize(10_000, 10_000)],
    ['said to be 65,535 pixels high', withSize(65_535, 1)],
  ])('one %s is too large', async (_what, bytes) => {
    const { status, body } = await upload(bytes);
    expect([status, body.code]).toEqual([413, 'too_large']);
  });

  test.each([
    ['another type', 'data:image/png;base64,iVBORw0KGgo='],
    ['an address', 'https://example.org/photo.jpg'],
    ['no base64', 'data:image/jpeg;base64,%%%'],
    ['more than 128 KiB', dataUrl(Buffer.alloc(131_100))],
    ['no text', 5],
  ])('one as %s is malformed', async (_what, photo_url) => {
    const { status, body } = await t.post(uploadUserPhoto.path, { userId: team.ana.id, photo_url }, team.ana.token);
    expect([status, body.code]).toEqual([400, 'malformed']);
  });

  test('members set their own only, administrators anybody’s, nobody that of who is not there', async () => {
    expect((await upload(PHOTO, team.bo.token)).status).toBe(403);
    expect((await upload(null, team.bo.token)).status).toBe(403);
    expect((await upload(PHOTO, team.admin.token)).status).toBe(200);
    expect((await upload(PHOTO, team.admin.token, uuidV7())).status).toBe(404);
  });

  test('a new one has a new path, and is told to administrators and its owner', async () => {
    const [admin, own, bo] = await Promise.all([team.admin, team.ana, team.bo].map(({ token }) => t.connect(token)));
    if (admin === undefined || own === undefined || bo === undefined) throw new Error('No sockets');
    await caughtUp(admin, own, bo);
    const first = (await upload(PHOTO)).body.photo_url;
    const second = (await upload(picture(64, 64))).body.photo_url;
    expect(second).not.toBe(first);
    expect([(await get(String(first))).statusCode, (await get(String(second))).statusCode]).toEqual([404, 200]);
    for (const socket of [admin, own]) await socket.next('changed', ({ what }) => what === 'users');
    await caughtUp(bo);
    expect(bo.waiting('changed')).toEqual([]);
    const { body } = await t.call(getUserById, { userId: team.ana.id }, team.ana.token);
    expect(body.res.version).toBe(3);
  });

  test('an empty one takes it away', async () => {
    const { body } = await upload(PHOTO);
    expect((await upload(null)).body).toEqual({ success: true, photo_url: null });
    expect([await urlOf(), (await get(String(body.photo_url))).statusCode]).toEqual([null, 404]);
    expect((await upload(null)).status).toBe(200);
  });

  test('no path opens that is not signed, changed or over', async () => {
    const url = String((await upload(PHOTO)).body.photo_url);
    const [path = '', query = ''] = url.split('?');
    const wrong = [
      path,
      `${path}?expires=99999999999&signature=x`,
      url.replace(/signature=./u, 'signature=_'),
      url.replace('.jpg', '.JPG'),
      `/files/photos/../photos/x.jpg?${query}`,
      `/files/photos/${uuidV7()}.jpg?${query}`,
      '/files/photos/',
      '/files/',
      '/files/photos/%00.jpg',
    ];
    for (const address of wrong) {
      const response = await get(address);
      expect([address, response.statusCode, response.json().code]).toEqual([address, 404, 'not_found']);
    }
    time = new Date(time.getTime() + 2 * 3_600_000);
    expect((await get(url)).statusCode).toBe(404);
  });
});
