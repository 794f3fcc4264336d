import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { IMAGE_MAX_BYTES } from '@pressel/contract/limits';
import { deleteUser, getAllUsers, getUserById, uploadUserPhoto } from '@pressel/contract/users';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { userPhotos } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { prove } from '#test/proof.ts';

const picture = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#40a060' } })
    .jpeg()
    .toBuffer();
const dataUrl = (bytes: Uint8Array, type = 'image/jpeg'): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const PHOTO = await picture(300, 200);

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
  const uploadUrl = (photo_url: unknown) =>
    t.post(uploadUserPhoto.path, { userId: team.ana.id, photo_url }, team.ana.token);
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
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': expect.stringMatching(/^private, max-age=\d+, immutable$/u),
    });
    expect(await sharp(response.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 });
  });

  test.each(['jpeg', 'png', 'gif', 'webp'] as const)('one of type %s is taken', async (format) => {
    const bytes = await sharp(PHOTO).toFormat(format).toBuffer();
    const { status, body } = await uploadUrl(dataUrl(bytes, `image/${format}`));
    expect(status).toBe(200);
    expect(await sharp((await get(String(body.photo_url))).rawPayload).metadata()).toMatchObject({ format: 'webp' });
  });

  test('nothing of the file is kept but the picture', async () => {
    const told = { IFD0: { Artist: 'Ana' }, IFD3: { GPSLatitude: '48/1 51/1 0/1', GPSLongitude: '2/1 21/1 0/1' } };
    const { body } = await upload(await sharp(PHOTO).withExif(told).toBuffer());
    const { rawPayload } = await get(String(body.photo_url));
    expect(rawPayload.toString('latin1')).not.toMatch(/exif|Ana/iu);
  });

  /** The photos in the store, by their names. */
  const copies = async () => {
    const folder = join(t.dataDir, 'files/photos');
    return existsSync(folder) ? (await readdir(folder)).filter((name) => name !== 'installation') : [];
  };
  /** Waits until the row says that its photo is in the store. */
  const copied = (url: unknown) =>
    expect.poll(async () => (await t.database.db.select().from(userPhotos))[0]?.storedId).toBe(photoIdOf(url));
  const photoIdOf = (url: unknown) => /[0-9a-f-]{36}/u.exec(String(url))?.[0] ?? '';

  test('FILE10: the store gets a copy, which is what is served; the row is served where the store has none', async () => {
    const url = String((await upload(PHOTO)).body.photo_url);
    await copied(url);
    expect(await copies()).toEqual([photoIdOf(url)]);
    const before = await get(url);
    await t.database.db.update(userPhotos).set({ image: Buffer.from('what older versions read') });
    const served = await get(url);
    expect([served.statusCode, served.headers['content-length']]).toEqual([200, before.headers['content-length']]);
    expect(served.rawPayload.equals(before.rawPayload)).toBe(true);
    await rm(join(t.dataDir, 'files/photos', photoIdOf(url)));
    expect((await get(url)).rawPayload.toString()).toBe('what older versions read');
  });

  alone('a process that isn’t alone spares young files').test(
    'FILE10: a photo that is replaced, removed, or whose user is deleted is gone from the store',
    async () => {
      await upload(PHOTO);
      await expect.poll(copies).toHaveLength(1);
      const second = (await upload(await picture(64, 64))).body.photo_url;
      await expect.poll(copies).toEqual([photoIdOf(second)]);
      await upload(null);
      expect(await copies()).toEqual([]);
      expect((await get(String(second))).statusCode).toBe(404);

      await upload(PHOTO);
      await expect.poll(copies).toHaveLength(1);
      await prove(t, [team.admin]);
      await t.call(deleteUser, { UserId: team.ana.id }, team.admin.token);
      // The next start, or the hourly sweep, removes them.
      const next = await buildTestApp({ database: t.database, config: { dataDir: t.dataDir } });
      expect(await copies()).toEqual([]);
      await next.close();
    },
  );

  test('FILE10: a photo from before there was a store, or of an older version, is copied at the next start', async () => {
    const url = String((await upload(PHOTO)).body.photo_url);
    await copied(url);
    await t.database.db.update(userPhotos).set({ storedId: null });
    await rm(join(t.dataDir, 'files/photos', photoIdOf(url)));
    const next = await buildTestApp({ database: t.database, config: { dataDir: t.dataDir } });
    await expect.poll(copies).toEqual([photoIdOf(url)]);
    await next.close();
    await t.database.db.update(userPhotos).set({ photoId: uuidV7() });
    expect((await get(url)).statusCode).toBe(404);
  });

  test('FILE2: a path that is no photo’s opens none', async () => {
    const url = new URL(String((await upload(PHOTO)).body.photo_url), t.origin);
    await expect.poll(copies).toHaveLength(1);
    for (const file of ['installation', '..%2Fmessages%2Finstallation', uuidV7(), `${photoIdOf(url)}.part`]) {
      expect((await get(`/files/photos/${file}${url.search}`)).statusCode, file).toBe(404);
    }
  });

  test('one that was stored as a JPEG before is shown as one', async () => {
    const photo_url = String((await upload(PHOTO)).body.photo_url);
    await copied(photo_url);
    await t.database.db.update(userPhotos).set({ type: 'image/jpeg', image: PHOTO, storedId: null });
    const response = await get(photo_url);
    expect(response.headers['content-type']).toBe('image/jpeg');
    expect(response.rawPayload.equals(PHOTO)).toBe(true);
  });

  test.each([
    ['a text', Buffer.from('<script>alert(1)</script>')],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['half a JPEG', PHOTO.subarray(0, PHOTO.length / 2)],
    ['two bytes', Buffer.from([0xff, 0xd8])],
  ])('%s is refused as of the wrong type', async (_what, bytes) => {
    const { status, body } = await upload(bytes);
    expect([status, body.code, await urlOf()]).toEqual([415, 'wrong_type', null]);
  });

  test.each([0, 1, 600_000])('one of a mebibyte is taken, with %d bytes more it is too large', async (more) => {
    const { status, body } = await upload(Buffer.concat([PHOTO, Buffer.alloc(IMAGE_MAX_BYTES - PHOTO.length + more)]));
    expect([status, body.code]).toEqual(more === 0 ? [200, undefined] : [413, 'too_large']);
  });

  test.each([
    ['another type', 'data:image/svg+xml;base64,iVBORw0KGgo='],
    ['an address', 'https://example.org/photo.jpg'],
    ['no base64', 'data:image/jpeg;base64,%%%'],
    ['no text', 5],
  ])('one as %s is malformed', async (_what, photo_url) => {
    const { status, body } = await uploadUrl(photo_url);
    expect([status, body.code]).toEqual([400, 'malformed']);
  });

  test('members set their own only, administrators anybody’s, and unknown users are not found', async () => {
    expect((await upload(PHOTO, team.bo.token)).status).toBe(403);
    expect((await upload(null, team.bo.token)).status).toBe(403);
    await prove(t, [team.admin]);
    expect((await upload(PHOTO, team.admin.token)).status).toBe(200);
    expect((await upload(PHOTO, team.admin.token, uuidV7())).status).toBe(404);
  });

  test('a new one has a new path, and is told to administrators and its owner', async () => {
    const [admin, own, bo] = await Promise.all([team.admin, team.ana, team.bo].map(({ token }) => t.connect(token)));
    if (admin === undefined || own === undefined || bo === undefined) throw new Error('No sockets');
    await caughtUp(admin, own, bo);
    const first = (await upload(PHOTO)).body.photo_url;
    const second = (await upload(await picture(64, 64))).body.photo_url;
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

  test('unsigned, altered and expired paths are not found', async () => {
    const url = String((await upload(PHOTO)).body.photo_url);
    const [path = '', query = ''] = url.split('?');
    const wrong = [
      path,
      `${path}?expires=99999999999&signature=x`,
      url.replace(/signature=(.)/u, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`),
      url.replace('?', '.jpg?'),
      `/files/photos/../photos/x?${query}`,
      `/files/photos/${uuidV7()}?${query}`,
      '/files/photos/',
      '/files/',
      '/files/photos/%00',
    ];
    for (const address of wrong) {
      const response = await get(address);
      expect([address, response.statusCode, response.json().code]).toEqual([address, 404, 'not_found']);
    }
    time = new Date(time.getTime() + 2 * 3_600_000);
    expect((await get(url)).statusCode).toBe(404);
  });
});
