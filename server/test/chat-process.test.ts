import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { logIn, signUpUser } from '@pressel/contract/auth';
import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { createChannel } from '@pressel/contract/channels';
import { type ClientMessageId, getChannelMessages, type Message, sendMessage } from '@pressel/contract/chat';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD } from './build-test-app.ts';
import { slowPng } from './hostile-images.ts';
import { readyServer, type ServerRun, startServer } from './start-server.ts';
import { copyDataFolder } from './test-database.ts';
import { postForm } from './upload.ts';
import { waitUntil } from './wait-until.ts';

const CLIENTS = 10;
/** A client sends the next message once it has its answer, more slowly than its rate limit. */
const PAUSE_MS = 20;
const PHOTO = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#40a060' } })
  .jpeg()
  .toBuffer();

interface Client {
  token: string;
  /** Ids of sent messages, answered or not, with the answers. */
  sent: Map<string, Message | null>;
}

/** The real process, killed while people send. */
describe('a server that is killed while people send', { timeout: 240_000 }, () => {
  let dataDir: string;
  let runs: ServerRun[];
  let origin: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'pressel-chat-'));
    await copyDataFolder(dataDir);
    runs = [];
  });
  afterEach(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    await Promise.all(runs.map(({ ended }) => ended));
    await waitUntil(() => !existsSync(join(dataDir, 'postgres/postmaster.pid')));
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async (): Promise<ServerRun> => {
    const run = startServer({ DATA_DIR: dataDir });
    runs.push(run);
    ({ origin } = await readyServer(run));
    return run;
  };
  const kill = async (run: ServerRun) => {
    run.child.kill('SIGKILL');
    expect(await run.ended).toBe('SIGKILL');
  };
  async function call<C extends Call>(definition: C, body: CallInput<C>, token = ''): Promise<CallReply<C>> {
    const response = await fetch(`${origin}${definition.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return definition.reply.parse(JSON.parse(text)) as CallReply<C>;
  }
  const signIn = async (email: string) => {
    const { user } = await call(logIn, { user_email: email, user_password: PASSWORD });
    return { id: user.id as UserId, token: user.authToken };
  };
  /** People who may all send in one channel. */
  async function makeClients(count: number): Promise<{ clients: Client[]; channelId: ChannelId }> {
    const people: { id: UserId; token: string }[] = [];
    for (let index = 0; index < count; index += 1) {
      const email = `p${index}@example.org`;
      await call(signUpUser, { firstName: 'P', lastName: `${index}`, email, password: PASSWORD });
      people.push(await signIn(email));
    }
    const userList = people.map(({ id }) => id);
    const { res } = await call(createChannel, { channelName: 'Nord', userList }, people[0]?.token);
    return { channelId: res.id, clients: people.map(({ token }) => ({ token, sent: new Map() })) };
  }
  const sendText = async (client: Client, channelId: ChannelId, clientId: ClientMessageId) =>
    (await call(sendMessage, { channelId, message: `Message ${clientId}`, clientId }, client.token)).message;
  const sendImage = async (client: Client, channelId: ChannelId, clientId: ClientMessageId) => {
    const form = [
      ['channelId', channelId],
      ['clientId', clientId],
      ['image', PHOTO, 'x.jpg'],
    ] as const;
    const { status, body } = await postForm(origin, form, client.token);
    if (status !== 200) throw new Error(`${status}`);
    return body.message;
  };
  /** Sends messages one after the other until the link breaks. */
  async function sendOn(client: Client, channelId: ChannelId, send: typeof sendText): Promise<void> {
    for (;;) {
      const clientId = randomUUID() as ClientMessageId;
      client.sent.set(clientId, null);
      try {
        client.sent.set(clientId, await send(client, channelId, clientId));
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('429')) client.sent.delete(clientId);
        else return;
      }
      await sleep(PAUSE_MS);
    }
  }
  async function readAll(channelId: ChannelId, token: string): Promise<Message[]> {
    const all: Message[] = [];
    for (let after = 0; ; after = all.at(-1)?.number ?? 0) {
      const page = await call(getChannelMessages, { channelId, after, limit: 200 }, token);
      all.push(...page.discussion);
      if (!page.hasNewer) return all;
    }
  }
  const answeredOf = (clients: readonly Client[]) =>
    clients.flatMap(({ sent }) => [...sent.values()].filter((message) => message !== null));

  test('CHAT1: every acknowledged message is there once, in its place; sent again, none is doubled', async () => {
    const first = await start();
    const { clients, channelId } = await makeClients(CLIENTS);
    const sending = clients.map((client) => sendOn(client, channelId, sendText));
    await waitUntil(() => answeredOf(clients).length >= 5 * CLIENTS);
    await kill(first);
    await Promise.all(sending);
    const answered = answeredOf(clients);

    await start();
    const token = clients[0]?.token ?? '';
    const found = await readAll(channelId, token);
    const byId = new Map(found.map((message) => [message.id, message]));
    expect(byId.size).toBe(found.length);
    for (const message of answered) expect(byId.get(message.id)).toEqual(message);
    expect(found.map(({ number }) => number)).toEqual(found.map((_, index) => index + 1));

    // Like an outbox: sends everything again that has no answer.
    for (const client of clients) {
      for (const [clientId, answer] of client.sent) {
        const again = await sendText(client, channelId, clientId as ClientMessageId);
        if (answer !== null) expect(again).toEqual(answer);
        client.sent.set(clientId, again);
      }
    }
    const ids = (await readAll(channelId, token)).map(({ clientId }) => clientId);
    expect(ids.toSorted()).toEqual(clients.flatMap(({ sent }) => [...sent.keys()]).toSorted());
  });

  test('CHAT25: after the next start no message is without its image, and no image without its message', async () => {
    let run = await start();
    const { clients, channelId } = await makeClients(3);
    const token = clients[0]?.token ?? '';
    const folder = join(dataDir, 'files/messages');
    for (let round = 1; round <= 3; round += 1) {
      const before = answeredOf(clients).length;
      const sending = clients.map((client) => sendOn(client, channelId, sendImage));
      await waitUntil(() => answeredOf(clients).length >= before + 2);
      await kill(run);
      await Promise.all(sending);
      run = await start();
      const found = await readAll(channelId, token);
      const ids = new Set(found.map(({ id }) => id));
      for (const message of answeredOf(clients)) expect(ids).toContain(message.id);
      const paths = found.flatMap(({ file }) => (file === null ? [] : [file.path, file.thumbnailPath]));
      expect(paths).toHaveLength(2 * found.length);
      for (const path of paths) {
        const response = await fetch(`${origin}${path}`);
        expect(response.status).toBe(200);
        expect((await sharp(Buffer.from(await response.arrayBuffer())).metadata()).format).toBe('webp');
      }
      const named = paths.map((path) => /([^/]+)\?/u.exec(path)?.[1]);
      const onDisk = (await readdir(folder)).filter((name) => name !== 'installation');
      expect(onDisk.toSorted()).toEqual(named.toSorted());
    }
  });
  test('CHAT36: it stops in order while images are made that take long, and nothing of them is left', async () => {
    const run = await start();
    const { clients, channelId } = await makeClients(3);
    const token = clients[0]?.token ?? '';
    await sendImage({ token, sent: new Map() }, channelId, randomUUID() as ClientMessageId);
    const slow = slowPng();
    const sending = clients.map(async (client) => {
      const form = [
        ['channelId', channelId],
        ['image', slow, 'x.png'],
      ] as const;
      const { status } = await postForm(origin, form, client.token);
      return status;
    });
    const outcomes = Promise.allSettled(sending);
    // The uploads have arrived by then, and the first image is being made.
    await sendText({ token, sent: new Map() }, channelId, randomUUID() as ClientMessageId);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.errors()).not.toContain('stopped_by_force');
    // Each was refused, or cut off.
    for (const outcome of await outcomes) if (outcome.status === 'fulfilled') expect(outcome.value).toBe(503);

    await start();
    const found = await readAll(channelId, token);
    expect(found.map(({ file }) => file !== null)).toEqual([true, false]);
    expect((await readdir(join(dataDir, 'files/messages'))).filter((name) => name !== 'installation')).toHaveLength(2);
  });
});
