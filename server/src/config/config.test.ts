import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const faultsOf = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
};
const namesOf = (env: NodeJS.ProcessEnv) => faultsOf(env).map((fault) => fault.split(':')[0]);

const DEFAULTS = {
  port: 3000,
  host: '127.0.0.1',
  tls: { kind: 'off' },
  dataDir: resolve('data'),
  databaseUrl: null,
  redisUrl: null,
  s3: null,
  databasePoolMax: 10,
  hashingCores: availableParallelism(),
  publicUrl: null,
  trustedProxies: [],
  setupCode: null,
  signup: 'member',
  passwordMinLength: 1,
  ice: { stunUrls: [], turnUrls: [], turnSecret: null, policy: 'all' },
  activityRetentionDays: null,
  messageRetentionDays: null,
  positionRetentionDays: 30,
  map: { styleUrl: null, origins: [], center: [2.35, 48.85] },
  metrics: null,
  logLevel: 'info',
  mode: 'production',
};
const NAMES = [
  'PORT',
  'HOST',
  'TLS',
  'TLS_CERT',
  'ACME_URL',
  'TLS_KEY',
  'DATA_DIR',
  'DATABASE_URL',
  'REDIS_URL',
  'FILES_URL',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'PUBLIC_URL',
  'TRUSTED_PROXIES',
  'SETUP_CODE',
  'SIGNUP',
  'PASSWORD_MIN_LENGTH',
  'HASHING_CORES',
  'STUN_URLS',
  'TURN_URLS',
  'TURN_SECRET',
  'ICE_POLICY',
  'ACTIVITY_RETENTION_DAYS',
  'MESSAGE_RETENTION_DAYS',
  'POSITION_RETENTION_DAYS',
  'MAP_STYLE_URL',
  'MAP_ORIGINS',
  'MAP_CENTER',
  'METRICS_TOKEN',
  'METRICS_PORT',
  'METRICS_HOST',
  'LOG_LEVEL',
  'NODE_ENV',
];

describe('configuration', () => {
  test('every variable is optional', () => expect(readConfig({})).toEqual(DEFAULTS));

  test.each(['', ' ', '\t'])('a variable that is %j counts as unset', (blank) => {
    expect(readConfig(Object.fromEntries(NAMES.map((name) => [name, blank])))).toEqual(DEFAULTS);
  });

  test('unknown variables are not looked at', () => expect(readConfig({ PORTS: 'x', HOME: '/' })).toEqual(DEFAULTS));

  test('everything can be set', () => {
    expect(
      readConfig({
        PORT: '0',
        HOST: '::',
        TLS_CERT: '/etc/pressel/cert.pem',
        TLS_KEY: '/etc/pressel/key.pem',
        DATA_DIR: '/var/lib/pressel',
        DATABASE_URL: 'postgres://u:p@db:5432/pressel?sslmode=require',
        REDIS_URL: 'rediss://u:p@cache:6380/1',
        FILES_URL: 's3://radio/north/',
        AWS_ENDPOINT_URL_S3: 'https://s3.example.org/',
        AWS_REGION: 'garage',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'secret',
        DATABASE_POOL_MAX: '20',
        HASHING_CORES: '1',
        PUBLIC_URL: 'https://Radio.example.org/',
        TRUSTED_PROXIES: '10.0.0.0/8, ::1',
        SETUP_CODE: ' open sesame ',
        SIGNUP: 'closed',
        PASSWORD_MIN_LENGTH: '12',
        STUN_URLS: 'stun:a:3478, stuns:b',
        TURN_URLS: 'turn:a?transport=udp,turns:b:443',
        TURN_SECRET: ' s, ',
        ICE_POLICY: 'relay',
        ACTIVITY_RETENTION_DAYS: '400',
        MESSAGE_RETENTION_DAYS: '90',
        POSITION_RETENTION_DAYS: '7',
        MAP_STYLE_URL: 'https://maps.example.org/hybrid/style.json?key=k',
        MAP_ORIGINS: 'https://tiles.example.org/, https://maps.example.org',
        MAP_CENTER: ' -4.49 , 48.39 ',
        METRICS_TOKEN: ' sixteen-or-more= ',
        METRICS_PORT: '9464',
        METRICS_HOST: '::',
        LOG_LEVEL: 'debug',
        NODE_ENV: 'test',
      }),
    ).toEqual({
      port: 0,
      host: '::',
      tls: { kind: 'files', cert: '/etc/pressel/cert.pem', key: '/etc/pressel/key.pem' },
      dataDir: '/var/lib/pressel',
      databaseUrl: 'postgres://u:p@db:5432/pressel?sslmode=require',
      redisUrl: 'rediss://u:p@cache:6380/1',
      s3: {
        endpoint: 'https://s3.example.org',
        region: 'garage',
        bucket: 'radio',
        prefix: 'north/',
        accessKeyId: 'id',
        secretAccessKey: 'secret',
      },
      databasePoolMax: 20,
      hashingCores: 1,
      publicUrl: 'https://radio.example.org',
      trustedProxies: ['10.0.0.0/8', '::1'],
      setupCode: 'open sesame',
      signup: 'closed',
      passwordMinLength: 12,
      ice: {
        stunUrls: ['stun:a:3478', 'stuns:b'],
        turnUrls: ['turn:a?transport=udp', 'turns:b:443'],
        turnSecret: ' s, ',
        policy: 'relay',
      },
      activityRetentionDays: 400,
      messageRetentionDays: 90,
      positionRetentionDays: 7,
      map: {
        styleUrl: 'https://maps.example.org/hybrid/style.json?key=k',
        origins: ['https://maps.example.org', 'https://tiles.example.org'],
        center: [-4.49, 48.39],
      },
      metrics: { token: 'sixteen-or-more=', listen: { port: 9464, host: '::' } },
      logLevel: 'debug',
      mode: 'test',
    });
  });

  test.each([
    ['PORT', ['-1', '65536', '80.5', 'http', 'Infinity']],
    ['TLS', ['yes', 'Self', 'off']],
    ['ACME_URL', ['acme.example.org', 'http://acme.example.org']],
    ['DATABASE_URL', ['mysql://x', 'localhost', 'postgres']],
    ['HASHING_CORES', ['0', 'all', '1.5']],
    ['DATABASE_POOL_MAX', ['9', '201', 'many', '10.5']],
    ['PUBLIC_URL', ['radio.example.org', 'ftp://x', 'https://x/console', 'https://', 'javascript:alert(1)']],
    ['TRUSTED_PROXIES', ['proxy', '10.0.0.0/40', '10.0.0.1 localhost', ',']],
    ['SETUP_CODE', ['1234567', '  1234567  ', '--------', '1-2-3-4-5', 'x'.repeat(201)]],
    ['SIGNUP', ['open', 'Member', 'true']],
    ['PASSWORD_MIN_LENGTH', ['0', '129', 'x', '1.5']],
    ['STUN_URLS', ['turn:x', 'example.org', 'stun:x,example.org']],
    ['ICE_POLICY', ['none']],
    ['ACTIVITY_RETENTION_DAYS', ['0', '-1', 'x', '1.5', '36501']],
    ['MESSAGE_RETENTION_DAYS', ['0', '-1', 'x', '1.5', '36501']],
    ['POSITION_RETENTION_DAYS', ['0', '-1', 'x', '1.5', '36501']],
    ['MAP_STYLE_URL', ['mapbox://styles/x', 'style.json', 'file:///style.json']],
    ['MAP_ORIGINS', ['tiles.example.org', 'https://tiles.example.org/v1', ',', '*']],
    ['MAP_CENTER', ['Paris', '2.35', '2.35;48.85', '181,0', '0,91', '2.35,48.85,13', '1e3,2', ' , ']],
    ['METRICS_TOKEN', ['short', 'with spaces in the token', 'é'.repeat(16)]],
    ['METRICS_PORT', ['-1', 'x']],
    ['LOG_LEVEL', ['verbose', 'INFO']],
    ['NODE_ENV', ['prod']],
  ])('%s refuses %j', (name, values) => {
    for (const value of values) expect([value, namesOf({ [name]: value })]).toEqual([value, [name]]);
  });

  test('[PROC1] several processes need one database', () => {
    const DATABASE_URL = 'postgres://db/pressel';
    expect(namesOf({ REDIS_URL: 'redis://cache' })).toEqual(['DATABASE_URL']);
    for (const REDIS_URL of ['http://x', 'localhost', 'redis']) {
      expect(namesOf({ DATABASE_URL, REDIS_URL })).toEqual(['REDIS_URL']);
    }
  });

  describe('files in an S3 store', () => {
    const S3 = {
      FILES_URL: 's3://radio',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'geheim',
      AWS_REGION: 'eu-west-3',
    };

    test('FILE7: are asked of AWS unless an address is set, that of S3 first', () => {
      expect(readConfig(S3).s3).toMatchObject({ endpoint: 'https://s3.eu-west-3.amazonaws.com', prefix: '' });
      const AWS_ENDPOINT_URL = 'http://127.0.0.1:9000';
      expect(readConfig({ ...S3, AWS_ENDPOINT_URL }).s3).toMatchObject({ endpoint: AWS_ENDPOINT_URL });
      const both = { ...S3, AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3: 'https://s3.example.org' };
      expect(readConfig(both).s3).toMatchObject({ endpoint: 'https://s3.example.org', region: 'eu-west-3' });
    });

    test.each<[NodeJS.ProcessEnv, string[]]>([
      [{ FILES_URL: 'https://s3.example.org/radio' }, ['FILES_URL']],
      [{ FILES_URL: 's3://' }, ['FILES_URL']],
      [{ FILES_URL: 's3://Radio' }, ['FILES_URL']],
      [{ FILES_URL: 's3://radio/../others' }, ['FILES_URL']],
      [{ FILES_URL: 's3://key:geheim@radio' }, ['FILES_URL']],
      [{ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }, ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']],
      [{ AWS_REGION: '' }, ['AWS_ENDPOINT_URL_S3']],
      [{ AWS_ENDPOINT_URL: 's3.example.org' }, ['AWS_ENDPOINT_URL']],
      [{ AWS_ENDPOINT_URL_S3: 'https://geheim.example.org/radio' }, ['AWS_ENDPOINT_URL_S3']],
      [{ AWS_SESSION_TOKEN: 'geheim' }, ['AWS_SESSION_TOKEN']],
    ])('FILE7: %j is refused, without a secret in the sentence', (env, names) => {
      expect(namesOf({ ...S3, ...env })).toEqual(names);
      expect(() => readConfig({ ...S3, ...env })).not.toThrow('geheim');
    });

    test('FILE7: variables of another program are its own while FILES_URL is unset', () => {
      expect(readConfig({ AWS_ENDPOINT_URL: 'x', AWS_REGION: 'x', AWS_SESSION_TOKEN: 'x' })).toEqual(DEFAULTS);
    });
  });

  test('a relay needs its secret, and relay alone needs a relay', () => {
    expect(namesOf({ TURN_URLS: 'turn:x' })).toEqual(['TURN_SECRET']);
    expect(namesOf({ ICE_POLICY: 'relay' })).toEqual(['TURN_URLS']);
    expect(namesOf({ TURN_URLS: 'https://x', TURN_SECRET: 's' })).toEqual(['TURN_URLS']);
    expect(namesOf({ TURN_URLS: ' , ', TURN_SECRET: 's', ICE_POLICY: 'relay' })).toEqual(['TURN_URLS']);
  });

  test('metrics that other machines can ask for need a token [OPS2]', () => {
    expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({
      token: null,
      listen: { port: 9464, host: '127.0.0.1' },
    });
    expect(namesOf({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' })).toEqual(['METRICS_TOKEN']);
    expect(namesOf({ METRICS_HOST: '127.0.0.1' })).toEqual(['METRICS_PORT']);
  });

  test('all faults are listed at once, those between variables too', () => {
    const env = { PORT: 'x', SIGNUP: 'x', LOG_LEVEL: 'x', TURN_URLS: 'turn:x', PUBLIC_URL: 'x' };
    expect(namesOf(env).toSorted()).toEqual(['LOG_LEVEL', 'PORT', 'PUBLIC_URL', 'SIGNUP', 'TURN_SECRET']);
  });

  test('the error shows each fault on its own line, and no secret', () => {
    const attempt = () => readConfig({ PORT: 'x', DATABASE_URL: 'mysql://u:geheim@db', TURN_URLS: 'turn:x' });
    expect(attempt).toThrow(/^The configuration has faults:\n {2}- .*\n {2}- /u);
    expect(attempt).not.toThrow('geheim');
  });

  test('with TLS the network is listened to, unless HOST says otherwise', () => {
    expect(readConfig({ TLS: 'self' })).toMatchObject({ tls: { kind: 'self' }, host: '0.0.0.0' });
    expect(readConfig({ TLS: 'self', HOST: '127.0.0.1' })).toMatchObject({ host: '127.0.0.1' });
  });

  test('TLS=acme asks Let’s Encrypt for the name in PUBLIC_URL, on port 443', () => {
    expect(readConfig({ TLS: 'acme', PUBLIC_URL: 'https://radio.example.org' })).toMatchObject({
      tls: {
        kind: 'acme',
        name: 'radio.example.org',
        directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
      },
      port: 443,
    });
  });

  test.each<[NodeJS.ProcessEnv, string]>([
    [{ TLS_CERT: 'cert.pem' }, 'TLS_KEY'],
    [{ TLS_KEY: 'key.pem' }, 'TLS_CERT'],
    [{ TLS: 'self', TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' }, 'TLS'],
    [{ TLS: 'acme' }, 'PUBLIC_URL'],
    [{ TLS: 'acme', PUBLIC_URL: 'https://192.0.2.1' }, 'PUBLIC_URL'],
    [{ TLS: 'acme', PUBLIC_URL: 'https://localhost' }, 'PUBLIC_URL'],
    [{ TLS: 'acme', PUBLIC_URL: 'https://radio.example.org:8443' }, 'PUBLIC_URL'],
    [{ TLS: 'self', PUBLIC_URL: 'http://radio.example.org' }, 'PUBLIC_URL'],
  ])('%j contradicts itself', (env, name) => expect(namesOf(env)).toEqual([name]));
});
