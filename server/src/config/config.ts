import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { SETUP_CODE_MAX_LENGTH, SETUP_CODE_MIN_LENGTH } from '@pressel/contract/limits';
import * as z from 'zod';
import { isNetwork } from '#src/addresses/client-address.ts';
import { isLoopbackName } from '#src/addresses/hosts.ts';
import { comparedCode } from './setup-code.ts';

/** The characters of a Bearer token (RFC 6750); it must be too long to guess. */
const METRICS_TOKEN = /^[\w.~+/=-]{16,}$/u;
/** A bucket, and perhaps a folder in it. */
const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w-][\w.-]*)*)\/?$/u;
const port = z.coerce.number().int().min(0).max(65_535);
const words = z.string().transform((text) => text.split(/[\s,]+/u).filter((entry) => entry !== ''));
const list = (schemes: readonly string[]) =>
  words.refine(
    (urls) => urls.length > 0 && urls.every((url) => schemes.some((scheme) => url.startsWith(`${scheme}:`))),
    {
      message: `must be a comma-separated list of ${schemes.map((scheme) => `${scheme}:`).join(' or ')} addresses`,
    },
  );
const webOrigin = z
  .url({ protocol: /^https?$/, abort: true })
  .refine((text) => new URL(text).pathname === '/', { message: 'must be an origin without a path' })
  .transform((text) => new URL(text).origin);

/** 'lng,lat' in degrees. */
const place = z
  .string()
  .regex(/^\s*-?\d+(?:\.\d+)?\s*,\s*-?\d+(?:\.\d+)?\s*$/u, {
    message: 'must be longitude and latitude in degrees, such as 2.35,48.85',
    abort: true,
  })
  .transform((text): [number, number] => [Number(text.split(',')[0]), Number(text.split(',')[1])])
  .refine(([lng, lat]) => Math.abs(lng) <= 180 && Math.abs(lat) <= 90, {
    message: 'must be a longitude from -180 to 180 and a latitude from -90 to 90',
  });

/** Every variable that the server reads; `docs/operating.md` says what each is for. */
const variables = z.object({
  PORT: port.optional(),
  HOST: z.string().optional(),
  TLS: z.enum(['self', 'acme']).optional(),
  ACME_URL: z.url({ protocol: /^https$/ }).default('https://acme-v02.api.letsencrypt.org/directory'),
  TLS_CERT: z.string().optional(),
  TLS_KEY: z.string().optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  FILES_URL: z.string().regex(S3_URL, { message: 'must be s3://bucket or s3://bucket/folder' }).optional(),
  // Not checked while FILES_URL is unset: they may be there for another program.
  AWS_ENDPOINT_URL_S3: z.string().optional(),
  AWS_ENDPOINT_URL: z.string().optional(),
  AWS_REGION: z.string().optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  // Fewer would leave none for reads while changes and heavy calls run.
  DATABASE_POOL_MAX: z.coerce.number().int().min(10).max(200).default(10),
  PUBLIC_URL: webOrigin.optional(),
  TRUSTED_PROXIES: words
    .refine((networks) => networks.length > 0 && networks.every(isNetwork), {
      message: 'must be a comma-separated list of addresses or networks such as 10.0.0.0/8',
    })
    .default([]),
  SETUP_CODE: z
    .string()
    .trim()
    // Counts the characters that the comparison looks at: otherwise a code of hyphens would equal an empty one.
    .refine((code) => comparedCode(code).length >= SETUP_CODE_MIN_LENGTH, {
      message: `must have at least ${SETUP_CODE_MIN_LENGTH} characters besides spaces and hyphens`,
    })
    .max(SETUP_CODE_MAX_LENGTH)
    .optional(),
  SIGNUP: z.enum(['member', 'admin', 'closed']).default('member'),
  HASHING_CORES: z.coerce
    .number()
    .int()
    .min(1)
    .max(256)
    .default(availableParallelism())
    .transform((cores) => Math.min(cores, availableParallelism())),
  PASSWORD_MIN_LENGTH: z.coerce.number().int().min(1).max(128).default(1),
  STUN_URLS: list(['stun', 'stuns']).default([]),
  TURN_URLS: list(['turn', 'turns']).default([]),
  TURN_SECRET: z.string().optional(),
  ICE_POLICY: z.enum(['all', 'relay']).default('all'),
  ACTIVITY_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  MESSAGE_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  POSITION_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(30),
  MAP_STYLE_URL: z.url({ protocol: /^https?$/ }).optional(),
  MAP_ORIGINS: words
    .refine((origins) => origins.length > 0 && origins.every((origin) => webOrigin.safeParse(origin).success), {
      message: 'must be a comma-separated list of origins such as https://tiles.example.org',
    })
    .transform((origins) => origins.map((origin) => new URL(origin).origin))
    .default([]),
  MAP_CENTER: place.default([2.35, 48.85]),
  METRICS_TOKEN: z
    .string()
    .trim()
    .regex(METRICS_TOKEN, { message: 'must be 16 or more letters, digits or -._~+/=' })
    .optional(),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
});

/** Faults between variables. Reads the text, so that they are reported together with the faults of single ones. */
function faultsBetween(env: NodeJS.ProcessEnv): string[] {
  const faults: string[] = [];
  if (env.REDIS_URL !== undefined && env.DATABASE_URL === undefined) {
    faults.push('DATABASE_URL: is needed when REDIS_URL is set: several processes share one database');
  }
  if (env.TURN_URLS !== undefined && env.TURN_SECRET === undefined) {
    faults.push('TURN_SECRET: is needed when TURN_URLS is set');
  }
  if (env.ICE_POLICY === 'relay' && env.TURN_URLS === undefined) {
    faults.push('TURN_URLS: is needed when ICE_POLICY is relay: without a relay nobody would hear anybody');
  }
  return [...faults, ...s3Faults(env), ...metricsFaults(env), ...tlsFaults(env)];
}

function s3Faults(env: NodeJS.ProcessEnv): string[] {
  if (env.FILES_URL === undefined) return [];
  const faults = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
    .filter((name) => env[name] === undefined)
    .map((name) => `${name}: is needed when FILES_URL is set`);
  const name = env.AWS_ENDPOINT_URL_S3 === undefined ? 'AWS_ENDPOINT_URL' : 'AWS_ENDPOINT_URL_S3';
  const endpoint = env[name];
  if (endpoint !== undefined && !webOrigin.safeParse(endpoint).success) {
    faults.push(`${name}: must be the address of the S3 store without a path, such as https://s3.example.org`);
  }
  if (endpoint === undefined && env.AWS_REGION === undefined) {
    faults.push('AWS_ENDPOINT_URL_S3: is needed when FILES_URL is set, or AWS_REGION for a bucket at AWS');
  }
  if (env.AWS_SESSION_TOKEN !== undefined) {
    faults.push('AWS_SESSION_TOKEN: must not be set with FILES_URL: the key must be one that does not expire');
  }
  return faults;
}

function metricsFaults({ METRICS_TOKEN, METRICS_PORT, METRICS_HOST }: NodeJS.ProcessEnv): string[] {
  if (METRICS_HOST === undefined) return [];
  if (METRICS_PORT === undefined) return ['METRICS_PORT: is needed when METRICS_HOST is set'];
  if (METRICS_TOKEN === undefined && !isLoopbackName(METRICS_HOST)) {
    return ['METRICS_TOKEN: is needed when METRICS_HOST lets other machines ask'];
  }
  return [];
}

function tlsFaults({ TLS, TLS_CERT, TLS_KEY, PUBLIC_URL }: NodeJS.ProcessEnv): string[] {
  const faults: string[] = [];
  if (TLS_CERT !== undefined && TLS_KEY === undefined) faults.push('TLS_KEY: is needed when TLS_CERT is set');
  if (TLS_KEY !== undefined && TLS_CERT === undefined) faults.push('TLS_CERT: is needed when TLS_KEY is set');
  const hasFiles = TLS_CERT !== undefined || TLS_KEY !== undefined;
  if (TLS !== undefined && hasFiles) {
    faults.push('TLS: gets a certificate of its own: leave it unset, or TLS_CERT and TLS_KEY');
  }
  if ((TLS !== undefined || hasFiles) && PUBLIC_URL?.trim().startsWith('http:') === true) {
    faults.push('PUBLIC_URL: must begin with https: because this server speaks TLS');
  }
  if (TLS === 'acme' && !hasPublicName(PUBLIC_URL)) {
    faults.push('PUBLIC_URL: must be https:// and a name in the internet for TLS=acme, without a port');
  }
  return faults;
}

/** Where the certificate comes from: none (plain http), files, the server itself, or an issuer that speaks ACME. */
export type TlsConfig =
  | { kind: 'off' }
  | { kind: 'files'; cert: string; key: string }
  | { kind: 'self' }
  | { kind: 'acme'; directoryUrl: string; name: string };

/** The bucket of FILES_URL, and its access keys. */
export interface S3Config {
  /** The address without the bucket. */
  endpoint: string;
  region: string;
  bucket: string;
  /** The prefix of all keys: empty, or a folder with a slash behind it. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Where metrics are read, and by whom. */
interface MetricsConfig {
  /** The token that readers need; null: none, because only this machine can read them. */
  token: string | null;
  /** A separate port; null: the server's port. */
  listen: { port: number; host: string } | null;
}

export interface Config {
  port: number;
  host: string;
  tls: TlsConfig;
  dataDir: string;
  databaseUrl: string | null;
  /** Null: this process is alone. Otherwise it is one of several, which talk through this Redis. */
  redisUrl: string | null;
  /** The bucket that files are kept in; null: a folder in DATA_DIR. */
  s3: S3Config | null;
  /** How many connections this process may have in its pool. */
  databasePoolMax: number;
  /** How many cores hash the passwords of imports. */
  hashingCores: number;
  publicUrl: string | null;
  /** Addresses and networks of trusted proxies; empty: one proxy, on this machine. */
  trustedProxies: string[];
  /** The code that the first account must give; null: the server makes a code where one is needed. */
  setupCode: string | null;
  signup: 'member' | 'admin' | 'closed';
  passwordMinLength: number;
  ice: { stunUrls: string[]; turnUrls: string[]; turnSecret: string | null; policy: 'all' | 'relay' };
  /** Null: entries of the activity log are kept until somebody deletes them. */
  activityRetentionDays: number | null;
  /** Null: messages are kept until somebody deletes them. */
  messageRetentionDays: number | null;
  positionRetentionDays: number;
  map: {
    /** A MapLibre style; null: the map that comes with the web app. */
    styleUrl: string | null;
    /** Origins that browsers may load parts of the map from, including the style's. */
    origins: string[];
    /** Longitude and latitude. */
    center: [number, number];
  };
  /** Null: metrics are off. */
  metrics: MetricsConfig | null;
  logLevel: string;
  mode: 'production' | 'development' | 'test';
}

/** Origins of the style and of what it loads from elsewhere. */
const originsOf = (styleUrl: string | undefined, origins: readonly string[]): string[] =>
  styleUrl === undefined ? [] : [...new Set([new URL(styleUrl).origin, ...origins])];

/** Issuers of certificates check a name on port 443. */
function hasPublicName(publicUrl: string | undefined): boolean {
  const { data } = webOrigin.safeParse(publicUrl);
  if (data === undefined) return false;
  const { protocol, hostname, port } = new URL(data);
  return protocol === 'https:' && port === '' && /\.\p{Letter}[^.]*$/u.test(hostname);
}

function tlsOf({ TLS, TLS_CERT, TLS_KEY, ACME_URL, PUBLIC_URL }: z.infer<typeof variables>): TlsConfig {
  if (TLS_CERT !== undefined && TLS_KEY !== undefined) {
    return { kind: 'files', cert: resolve(TLS_CERT), key: resolve(TLS_KEY) };
  }
  if (TLS === 'acme') return { kind: 'acme', directoryUrl: ACME_URL, name: new URL(PUBLIC_URL ?? '').hostname };
  return { kind: TLS ?? 'off' };
}

/** The region that S3 stores without regions accept. */
const ANY_REGION = 'us-east-1';

function s3Of(data: z.infer<typeof variables>): S3Config | null {
  const { FILES_URL, AWS_REGION, AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = data;
  if (FILES_URL === undefined) return null;
  const [, bucket = '', folder = ''] = S3_URL.exec(FILES_URL) ?? [];
  const region = AWS_REGION ?? ANY_REGION;
  const endpoint = data.AWS_ENDPOINT_URL_S3 ?? data.AWS_ENDPOINT_URL ?? `https://s3.${region}.amazonaws.com`;
  return {
    endpoint: new URL(endpoint).origin,
    region,
    bucket,
    prefix: folder === '' ? '' : `${folder.slice(1)}/`,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
  };
}

function metricsOf({ METRICS_TOKEN, METRICS_PORT, METRICS_HOST }: z.infer<typeof variables>): MetricsConfig | null {
  if (METRICS_TOKEN === undefined && METRICS_PORT === undefined) return null;
  const listen = METRICS_PORT === undefined ? null : { port: METRICS_PORT, host: METRICS_HOST ?? '127.0.0.1' };
  return { token: METRICS_TOKEN ?? null, listen };
}

/** All faults of the environment at once, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`The configuration has faults:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** Reads the environment. An empty or blank variable counts as unset. @throws ConfigError */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
  const { data, error } = variables.safeParse(set);
  const faults = error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
  faults.push(...faultsBetween(set));
  if (data === undefined || faults.length > 0) throw new ConfigError(faults);
  const tls = tlsOf(data);
  return {
    // ACME issuers connect to this port.
    port: data.PORT ?? (tls.kind === 'acme' ? 443 : 3000),
    // TLS is for other devices: a browser on this machine needs none.
    host: data.HOST ?? (tls.kind === 'off' ? '127.0.0.1' : '0.0.0.0'),
    tls,
    dataDir: resolve(data.DATA_DIR),
    databaseUrl: data.DATABASE_URL ?? null,
    redisUrl: data.REDIS_URL ?? null,
    s3: s3Of(data),
    databasePoolMax: data.DATABASE_POOL_MAX,
    hashingCores: data.HASHING_CORES,
    publicUrl: data.PUBLIC_URL ?? null,
    trustedProxies: data.TRUSTED_PROXIES,
    setupCode: data.SETUP_CODE ?? null,
    signup: data.SIGNUP,
    passwordMinLength: data.PASSWORD_MIN_LENGTH,
    ice: {
      stunUrls: data.STUN_URLS,
      turnUrls: data.TURN_URLS,
      turnSecret: data.TURN_SECRET ?? null,
      policy: data.ICE_POLICY,
    },
    activityRetentionDays: data.ACTIVITY_RETENTION_DAYS ?? null,
    messageRetentionDays: data.MESSAGE_RETENTION_DAYS ?? null,
    positionRetentionDays: data.POSITION_RETENTION_DAYS,
    map: {
      styleUrl: data.MAP_STYLE_URL ?? null,
      origins: originsOf(data.MAP_STYLE_URL, data.MAP_ORIGINS),
      center: data.MAP_CENTER,
    },
    metrics: metricsOf(data),
    logLevel: data.LOG_LEVEL,
    mode: data.NODE_ENV,
  };
}
