import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn, signUpUser } from '@pressel/contract/auth';
import type { Call, CallInput, CallReply } from '@pressel/contract/call';
import { TOKEN_HEADER } from '@pressel/contract/call';
import type { Failure } from '@pressel/contract/errors';
import type { UserId } from '@pressel/contract/ids';
import type { FastifyInstance } from 'fastify';
import { inject } from 'vitest';
import { createPasswords, type Passwords } from '#src/accounts/passwords.ts';
import { type AppDeps, buildApp } from '#src/app.ts';
import type { Database } from '#src/db/connect.ts';
import { createLog } from '#src/logs/log.ts';
import { PROCESSES } from './alone.ts';
import { openBalancer } from './balancer.ts';
import { listenToProcesses, type SettledProcesses } from './settled-processes.ts';
import { connectTakenIn, settledAt, type TestSocket } from './socket-client.ts';
import { openTestDatabase } from './test-database.ts';

export type Reply<C extends Call> = {
  status: number;
  body: CallReply<C> & Partial<Omit<Failure, 'success' | 'result'>>;
};
export interface Person {
  id: UserId;
  token: string;
  email: string;
}

export interface TestApp {
  app: FastifyInstance;
  database: Database;
  /** Parsed lines of the log: tests look here for secrets and for faults. */
  logLines: Record<string, unknown>[];
  call<C extends Call>(call: C, body: CallInput<C>, token?: string): Promise<Reply<C>>;
  /** Sends anything at all as a JSON body. */
  post(path: string, body: unknown, token?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  signUp(name: string, token?: string): Promise<Person>;
  signIn(person: Pick<Person, 'email'>, remember?: boolean): Promise<string>;
  /** Resolves when the server has taken the socket in. */
  connect(token: string): Promise<TestSocket>;
  origin: string;
  dataDir: string;
  /** Stops the server, with all of its processes, before its clients say goodbye. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Stands in for the fingerprint of the contract. */
export const TEST_CONTRACT = 'contract-of-tests';
export const PASSWORD = 'mot de passe';
/** The address of ordinary sign-ins, so that they don't use up the attempts that tests count. */
const HOME_ADDRESS = '192.0.2.1';

const DEFAULTS: Omit<AppDeps['config'], 'dataDir'> = {
  databaseUrl: null,
  redisUrl: null,
  s3: null,
  tls: { kind: 'off' },
  publicUrl: null,
  trustedProxies: [],
  signup: 'member',
  passwordMinLength: 1,
  ice: { stunUrls: [], turnUrls: [], turnSecret: null, policy: 'all' },
  activityRetentionDays: null,
  messageRetentionDays: null,
  positionRetentionDays: 30,
  map: { styleUrl: null, origins: [], center: [2.35, 48.85] },
  metrics: null,
  mode: 'test',
};

/** The product's hashes take thirty times as long, which is their point. */
export const CHEAP_PASSWORDS = createPasswords({ memoryCost: 64, timeCost: 1, parallelism: 1 });

interface TestAppOptions {
  config?: Partial<AppDeps['config']>;
  setupCode?: AppDeps['setupCode'];
  now?: () => Date;
  /** The clock of floors, leases and allowances, ms. */
  steadyNow?: () => number;
  presenceRepairMs?: number;
  resumeMs?: number;
  /** The product's value, for tests of restarts; by default nobody waits for earlier talkers. */
  floorRecoveryMs?: number;
  database?: Database;
  passwords?: Passwords;
  budget?: AppDeps['budget'];
  patienceMs?: number;
  webDir?: string;
  tls?: AppDeps['tls'];
  sharedAddress?: string;
  metrics?: AppDeps['metrics'];
  /** Holds up the start right before the server listens. */
  beforeListening?: (app: FastifyInstance) => Promise<void> | void;
}

/** The whole server on an empty database and a free port. Close it after the test. */
export const buildTestApp = (options: TestAppOptions = {}): Promise<TestApp> =>
  PROCESSES > 1 && options.config?.redisUrl === undefined && options.tls === undefined
    ? buildSeveral(options)
    : buildOne(options, []);

/** How many processes use a database at this moment: one that joins then is not the first. */
const serving = new Map<Database['db'], number>();

/** Several servers of one installation. Each call and each connection goes to a random one. */
async function buildSeveral(options: TestAppOptions): Promise<TestApp> {
  const database = options.database ?? (await openTestDatabase());
  const dataDir = options.config?.dataDir ?? join(tmpdir(), `pressel-data-${randomUUID()}`);
  const redisUrl = String(inject('redis'));
  const config = { ...options.config, dataDir, redisUrl };
  const logLines: Record<string, unknown>[] = [];
  const apps: TestApp[] = [];
  const countAll = () => serving.get(database.db) ?? 0;
  const isFirst = countAll() === 0;
  serving.set(database.db, countAll() + PROCESSES);
  for (let number = 0; number < PROCESSES; number += 1) {
    const as: Database = { ...database, serve: (begin) => begin(isFirst && number === 0) };
    apps.push(await buildOne({ ...options, config, database: as }, logLines));
  }
  // They share this process, so none of them falls silent alone.
  const balancer = await openBalancer(() => apps.map(({ origin }) => Number(new URL(origin).port)), { asks: false });
  let listening: Promise<SettledProcesses> | null = null;
  settledAt.set(balancer.origin, async () => {
    listening ??= listenToProcesses(PROCESSES, { countAll, database, redisUrl, logLines });
    await (await listening).settled();
  });
  const any = () => apps[Math.floor(Math.random() * apps.length)] as TestApp;
  const sockets: TestSocket[] = [];
  return {
    ...(apps[0] as TestApp),
    call: (...args) => any().call(...args),
    post: (...args) => any().post(...args),
    signIn: (...args) => any().signIn(...args),
    signUp: (...args) => any().signUp(...args),
    async connect(token) {
      const socket = await connectTakenIn(balancer.origin, token);
      sockets.push(socket);
      return socket;
    },
    origin: balancer.origin,
    stop: async () => void (await Promise.all(apps.map((app) => app.stop()))),
    async close() {
      // A process that is alone also stops before it can read a goodbye. A client that says goodbye leaves the room, and can't resume.
      await Promise.all(apps.map((app) => app.stop()));
      for (const socket of sockets) socket.close();
      settledAt.delete(balancer.origin);
      await (await listening?.catch(() => null))?.close();
      await balancer.close();
      await Promise.all(apps.map((app) => app.close()));
      serving.set(database.db, countAll() - PROCESSES);
      if (countAll() === 0) serving.delete(database.db);
      if (options.database === undefined) await database.close();
      if (options.config?.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function buildOne(options: TestAppOptions, logLines: Record<string, unknown>[]): Promise<TestApp> {
  const database = options.database ?? (await openTestDatabase());
  // The first stored file makes this folder.
  const dataDir = options.config?.dataDir ?? join(tmpdir(), `pressel-data-${randomUUID()}`);
  const app = await buildApp({
    config: { ...DEFAULTS, ...options.config, dataDir },
    setupCode: options.setupCode ?? null,
    tls: options.tls ?? null,
    sharedAddress: () => options.sharedAddress ?? null,
    database,
    version: '0.0.0-test',
    contract: TEST_CONTRACT,
    webDir: options.webDir ?? null,
    metrics: options.metrics ?? null,
    passwords: options.passwords ?? (await CHEAP_PASSWORDS),
    floorRecoveryMs: options.floorRecoveryMs ?? 0,
    log: createLog('debug', { write: (line: string) => logLines.push(JSON.parse(line)) }),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.steadyNow === undefined ? {} : { steadyNow: options.steadyNow }),
    ...(options.presenceRepairMs === undefined ? {} : { presenceRepairMs: options.presenceRepairMs }),
    ...(options.resumeMs === undefined ? {} : { resumeMs: options.resumeMs }),
  });
  app.addHook('onReady', async () => options.beforeListening?.(app));
  await app.listen({ host: '127.0.0.1', port: 0 });
  await app.admitting().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  const scheme = options.tls === undefined ? 'http' : 'https';
  const origin = `${scheme}://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const sockets: TestSocket[] = [];

  const post: TestApp['post'] = async (path, body, token) => {
    const response = await app.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { [TOKEN_HEADER]: token }) },
      payload: JSON.stringify(body),
    });
    return { status: response.statusCode, body: response.json() };
  };
  const call: TestApp['call'] = async (definition, body, token) => {
    if (definition.method === 'POST') return (await post(definition.path, body, token)) as never;
    const headers = token === undefined ? {} : { [TOKEN_HEADER]: token };
    const response = await app.inject({ method: 'GET', url: definition.path, headers });
    return { status: response.statusCode, body: response.json() } as never;
  };
  const signIn: TestApp['signIn'] = async ({ email }, remember = false) => {
    const body = { user_email: email, user_password: PASSWORD, remember };
    const response = await app.inject({
      method: 'POST',
      url: logIn.path,
      payload: body,
      remoteAddress: HOME_ADDRESS,
    });
    return logIn.reply.parse(response.json()).user.authToken;
  };

  return {
    app,
    database,
    logLines,
    call,
    post,
    signIn,
    async signUp(name, creatorToken) {
      const email = `${name.toLowerCase()}@example.org`;
      const account = { firstName: name, lastName: 'Test', email, password: PASSWORD };
      const { body } = await call(signUpUser, account, creatorToken);
      return { id: body.user.id, token: await signIn({ email }), email };
    },
    async connect(token) {
      const socket = await connectTakenIn(origin, token);
      sockets.push(socket);
      return socket;
    },
    origin,
    dataDir,
    stop: () => app.close(),
    async close() {
      for (const socket of sockets) socket.close();
      await app.close();
      if (options.database === undefined) await database.close();
      if (options.config?.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      const undeclared = logLines.filter(({ msg }) => msg === 'undeclared_error');
      if (undeclared.length > 0)
        throw new Error(`Calls answered what they do not declare: ${JSON.stringify(undeclared)}`);
    },
  };
}
