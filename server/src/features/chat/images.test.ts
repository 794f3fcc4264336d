import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { deleteChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import { deleteMessage, getChannelMessages, type Message, type MessageId, uploadFile } from '@pressel/contract/chat';
import { IMAGE_BODY_MAX_BYTES, IMAGE_MAX_BYTES, THUMBNAIL_SIZE_PX } from '@pressel/contract/limits';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messages } from '#src/db/schema/messages.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { postForm } from '#test/upload.ts';
import { waitUntil } from '#test/wait-until.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#40a060' } });
const PHOTO = await picture(900, 600).jpeg().toBuffer();

describe('images in messages', () => {
  let time: Date;
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    time = new Date();
    t = await buildTestApp({ now: () => time });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const folder = () => join(t.dataDir, 'files/messages');
  const onDisk = async () => {
    if (!existsSync(folder())) return [];
    return (await readdir(folder())).filter((name) => name !== 'installation');
  };
  const upload = (
    image: Uint8Array,
    {
      person = team.ana,
      name = 'photo.jpg',
      ...fields
    }: { person?: Person; name?: string } & Record<string, unknown> = {},
  ) => {
    const all = Object.entries({ channelId: team.nord, textMsg: '', ...fields });
    const parts = all.map(([field, value]) => [field, String(value)] as const);
    return postForm(t.origin, [...parts, ['image', image, name]], person.token);
  };
  const fileOf = (message: Message) => {
    if (message.file === null) throw new Error('A message without a file');
    return message.file;
  };
  const get = (url: string) => t.app.inject({ url });
  const stored = () => t.database.db.select().from(messages);
  /** A body as it is on the wire. */
  const raw = async (body: string | Buffer, contentType: string, token = team.ana.token) => {
    const response = await t.app.inject({
      method: 'POST',
      url: uploadFile.path,
      headers: { 'content-type': contentType, [TOKEN_HEADER]: token },
      payload: body,
    });
    return { status: response.statusCode, code: response.json().code };
  };

  test('CHAT20: an image is a message of the room, served as WebP with a thumbnail, by signed paths', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const { status, body } = await upload(PHOTO, {
      textMsg: ' Vu d’ici ',
      name: 'Été à "Paris".JPG',
      userId: team.ana.id,
    });
    expect(status).toBe(200);
    const { message } = body;
    const file = fileOf(message);
    expect(message).toMatchObject({ textMsg: 'Vu d’ici', number: 1, userId: team.ana.id });
    expect(file).toMatchObject({ fileName: 'Été à "Paris".webp', width: 900, height: 600 });
    expect(await bo.next('messageResponse')).toEqual(message);
    const { body: read } = await t.call(getChannelMessages, { channelId: team.nord }, team.bo.token);
    expect(read.discussion).toEqual([message]);

    const image = await get(file.path);
    expect(image.statusCode).toBe(200);
    expect(image.headers).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(file.bytes),
      'content-disposition': "inline; filename*=UTF-8''%C3%89t%C3%A9%20%C3%A0%20%22Paris%22.webp",
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': expect.stringMatching(/^private, max-age=\d+, immutable$/u),
    });
    expect(await sharp(image.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 900, height: 600 });
    const small = await get(file.thumbnailPath);
    expect(await sharp(small.rawPayload).metadata()).toMatchObject({
      format: 'webp',
      width: THUMBNAIL_SIZE_PX,
      height: 320,
    });
    expect((await activityLog(t)).filter((entry) => /image|message/u.test(entry))).toEqual(['image_send Ana Nord']);
  });

  test('CHAT21: nothing of the file is kept but the picture: no place, no camera', async () => {
    const told = { IFD0: { Artist: 'Ana' }, IFD3: { GPSLatitude: '48/1 51/1 0/1', GPSLongitude: '2/1 21/1 0/1' } };
    const bytes = Buffer.concat([await sharp(PHOTO).withExif(told).toBuffer(), Buffer.from('<script>Ana</script>')]);
    expect((await sharp(bytes).metadata()).exif?.length).toBeGreaterThan(0);
    await upload(bytes);
    for (const name of await onDisk()) {
      const kept = await readFile(join(folder(), name));
      expect((await sharp(kept).metadata()).exif).toBeUndefined();
      expect(kept.toString('latin1')).not.toMatch(/exif|Ana|script|GPS/iu);
    }
  });

  test('CHAT22: an animation stays one; its thumbnail is the first frame', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 600, height: 300, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    for (const format of ['gif', 'webp'] as const) {
      const bytes = await sharp(frames, { join: { animated: true } })
        .toFormat(format, { delay: [100, 100, 100] })
        .toBuffer();
      const file = fileOf((await upload(bytes, { name: `a.${format}` })).body.message);
      expect([file.width, file.height]).toEqual([600, 300]);
      expect(await sharp((await get(file.path)).rawPayload).metadata()).toMatchObject({ pages: 3 });
      const small = await sharp((await get(file.thumbnailPath)).rawPayload).metadata();
      expect([small.pages ?? 1, small.width, small.height]).toEqual([1, THUMBNAIL_SIZE_PX, 240]);
    }
  });

  describe('refusals', () => {
    test.each<[string, () => Promise<Buffer>, string]>([
      ['a text', async () => Buffer.from('<html><script>alert(1)</script>'), 'wrong_type'],
      [
        'a drawing',
        async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
        'wrong_type',
      ],
      [
        'a page that begins like a GIF',
        async () => Buffer.from('GIF89a/*<script>alert(1)</script>*/=1;'),
        'wrong_type',
      ],
      ['nothing', async () => Buffer.alloc(0), 'wrong_type'],
      ['half a photo', async () => PHOTO.subarray(0, PHOTO.length / 2), 'wrong_type'],
      ['a TIFF', () => picture(9, 9).tiff().toBuffer(), 'wrong_type'],
      [
        'a mebibyte and one',
        async () => Buffer.concat([PHOTO, Buffer.alloc(IMAGE_MAX_BYTES - PHOTO.length + 1)]),
        'too_large',
      ],
      ['far more', async () => Buffer.alloc(2 * IMAGE_BODY_MAX_BYTES), 'too_large'],
      ['too many pixels', () => picture(5_001, 5_000).png().toBuffer(), 'too_large'],
    ])('%s', async (_what, image, code) => {
      const { status, body } = await upload(await image());
      expect([status, body.code]).toEqual([code === 'too_large' ? 413 : 415, code]);
      expect([await stored(), await onDisk()]).toEqual([[], []]);
    });

    test('who may not, with nothing stored', async () => {
      expect((await upload(PHOTO, { person: team.out })).body.code).toBe('not_a_member');
      expect((await upload(PHOTO, { channelId: randomUUID() })).body.code).toBe('not_found');
      expect((await upload(PHOTO, { userId: team.bo.id })).body.code).toBe('forbidden');
      expect((await upload(PHOTO, { person: { ...team.ana, token: 'x' } })).body.code).toBe('unauthenticated');
      expect((await postForm(t.origin, [['image', PHOTO, 'x.jpg']])).body.code).toBe('unauthenticated');
      expect([await stored(), await onDisk()]).toEqual([[], []]);
    });

    test('forms that are not what the contract says', async () => {
      const channel = ['channelId', team.nord] as const;
      const image = ['image', PHOTO, 'x.jpg'] as const;
      for (const parts of [
        [channel],
        [image],
        [channel, ['image', 'no file']],
        [channel, image, image],
        [channel, channel, image],
        [channel, image, ['more', PHOTO, 'y.jpg']],
        [channel, ['more', 'x'], image],
        [channel, ['__proto__', 'x'], image],
        [['channelId', PHOTO, 'x'], image],
        [channel, ['textMsg', 'x'.repeat(4_001)], image],
        [channel, ['clientId', 'x'], image],
        [['channelId', 'x'], image],
      ] as const) {
        const { status, body } = await postForm(t.origin, parts, team.ana.token);
        expect([parts.map(([name]) => name), status, body.code]).toEqual([
          parts.map(([name]) => name),
          400,
          'malformed',
        ]);
      }
      expect([await stored(), await onDisk()]).toEqual([[], []]);
      // The file need not be the last part of the form.
      expect((await postForm(t.origin, [image, channel], team.ana.token)).status).toBe(200);
    });

    test('bodies that are no forms', async () => {
      const form = 'multipart/form-data; boundary=x';
      expect(await raw('{}', 'application/json')).toEqual({ status: 415, code: 'wrong_type' });
      expect(await raw('--x--', 'multipart/form-data')).toEqual({ status: 415, code: 'wrong_type' });
      expect(await raw('--x--', 'multipart/mixed; boundary=x')).toEqual({ status: 415, code: 'wrong_type' });
      for (const body of [
        '',
        'x',
        '--x',
        '--x--',
        '--x\r\n',
        '--x\r\n\r\nv\r\n--x--',
        `--x\r\n${'a: b\r\n'.repeat(2_000)}`,
      ]) {
        expect([body.slice(0, 20), await raw(body, form)]).toEqual([
          body.slice(0, 20),
          { status: 400, code: 'malformed' },
        ]);
      }
      const json = await t.app.inject({
        method: 'POST',
        url: getChannelMessages.path,
        headers: { 'content-type': form, [TOKEN_HEADER]: team.ana.token },
        payload: '--x--',
      });
      expect([json.statusCode, json.json().code]).toEqual([415, 'wrong_type']);
    });

    test('CHAT6: more than ten in twenty seconds', async () => {
      for (let sent = 0; sent < 10; sent += 1) expect((await upload(Buffer.from('x'))).status).toBe(415);
      const { status, body } = await upload(PHOTO);
      expect([status, body.params?.retryAfterSeconds]).toEqual([429, expect.any(Number)]);
    });

    test('an upload that breaks off leaves nothing', async () => {
      const { hostname, port } = new URL(t.origin);
      const sending = request({
        ...{ hostname, port, path: uploadFile.path, method: 'POST' },
        headers: {
          [TOKEN_HEADER]: team.ana.token,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': PHOTO.length + 500,
        },
      });
      sending.on('error', () => undefined);
      sending.write(`--x\r\nContent-Disposition: form-data; name="image"; filename="x"\r\n\r\n`);
      sending.write(PHOTO);
      await waitUntil(() => sending.writableLength === 0);
      sending.destroy();
      const connections = () =>
        new Promise<number>((resolve) => t.app.server.getConnections((_error, count) => resolve(count)));
      await waitUntil(async () => (await connections()) === 0);
      expect([await stored(), await onDisk()]).toEqual([[], []]);
      expect((await upload(PHOTO)).status).toBe(200);
    });
  });

  test('CHAT3: sent again under the same id it is stored once, also when it comes several times at once', async () => {
    const clientId = randomUUID();
    const replies = await Promise.all(Array.from({ length: 4 }, () => upload(PHOTO, { clientId })));
    for (const { body } of [...replies, await upload(PHOTO, { clientId })]) expect(body).toEqual(replies[0]?.body);
    expect([(await stored()).length, (await onDisk()).length]).toEqual([1, 2]);
  });

  test('CHAT23: unsigned, altered, foreign and expired paths are not found', async () => {
    const { path: url, thumbnailPath } = fileOf((await upload(PHOTO)).body.message);
    const other = fileOf((await upload(await picture(9, 9).png().toBuffer())).body.message).path;
    const [path = '', query = ''] = url.split('?');
    const wrong = [
      path,
      `${path}?expires=99999999999&signature=x`,
      url.replace(/signature=(.)/u, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`),
      url.replace(/expires=\d/u, 'expires=9'),
      `${other.split('?')[0]}?${query}`,
      `${path}?${thumbnailPath.split('?')[1]}`,
      url.replace('messages', 'photos'),
      `/files/messages/..%2f..%2fpostgres%2fPG_VERSION?${query}`,
      `/files/messages/installation?${query}`,
      '/files/messages/',
      '/files/messages/%00',
    ];
    for (const address of wrong) {
      const response = await get(address);
      expect([address, response.statusCode]).toEqual([address, 404]);
    }
    expect((await get(url)).statusCode).toBe(200);
    // Somebody who was a member keeps what they were given until it expires.
    await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    expect((await get(url)).statusCode).toBe(200);
    time = new Date(time.getTime() + 2 * 3_600_000);
    expect((await get(url)).statusCode).toBe(404);
  });

  test('CHAT24: with its message an image goes, at once and from the disk', async () => {
    const { message } = (await upload(PHOTO, { textMsg: 'x' })).body;
    const { path, thumbnailPath } = fileOf(message);
    const remove = (msgId: MessageId) => t.call(deleteMessage, { msgId }, team.ana.token);
    expect((await remove(message.id)).status).toBe(200);
    expect(await onDisk()).toEqual([]);
    for (const url of [path, thumbnailPath]) expect((await get(url)).statusCode).toBe(404);
    // A file that somebody removed by hand does no harm.
    const second = (await upload(PHOTO)).body.message;
    await rm(folder(), { recursive: true });
    expect((await get(fileOf(second).path)).statusCode).toBe(404);
    expect((await remove(second.id)).status).toBe(200);
  });

  test('CHAT9: with its channel an image does not go: its message stays too', async () => {
    await upload(PHOTO);
    await t.call(deleteChannel, { channelId: team.nord }, team.admin.token);
    expect((await onDisk()).length).toBe(2);
  });

  test('files are for their owner alone, under names that nobody guesses', async () => {
    await upload(PHOTO);
    expect((await onDisk()).sort()).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}-small\.webp$/u),
      expect.stringMatching(/^[0-9a-f]{32}\.webp$/u),
    ]);
  });
});
