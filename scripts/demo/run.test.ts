import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { createApi } from '@pressel/e2e/harness/api';
import { connectNatively } from '@pressel/e2e/harness/native-socket';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

describe('the demo', { timeout: 120_000 }, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pressel-test-demo-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('shows a living team to who signs in as it says, keeps off what the environment names, and leaves nothing', async () => {
    const temporary = join(folder, 'tmp');
    const dataDir = join(folder, 'data');
    mkdirSync(temporary);
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'kept'), 'as it was');
    const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts')], {
      env: {
        ...{ PATH: process.env.PATH, TMPDIR: temporary, DATA_DIR: dataDir },
        // None of these values would work: the demo must not even read them.
        ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PORT: 'none', SIGNUP: 'nobody', LOG_LEVEL: 'loud' },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const ended = once(child, 'close');
    const ready = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        output += chunk;
        if (output.includes('Ctrl+C')) resolve();
      });
    });
    try {
      await Promise.race([ready, ended]);
      const said = (pattern: RegExp) => pattern.exec(output)?.[1] ?? '';
      const origin = said(/(http:\/\/127\.0\.0\.1:\d+)/u);
      const user_email = said(/Sign in as +(\S+)/u);
      const user_password = said(/Password +(\S+)/u);
      expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^pressel-demo-/u)]);

      const { call } = createApi(origin);
      const { user } = await call(logIn, { user_email, user_password });
      expect(user.role).toBe('admin');
      const { res: users } = await call(getAllUsers, {}, user.authToken);
      expect(users.filter(({ role }) => role === 'member')).toHaveLength(40);
      expect((await call(getAllChannels, {}, user.authToken)).res).toHaveLength(8);
      const { socket } = await connectNatively(origin, user.authToken);
      const written = new Promise((resolve) => socket.on('onSendMessage', resolve));
      const talked = new Promise((resolve) => socket.on('talkers_changed', resolve));
      const moved = new Promise((resolve) => socket.on('onLocationChanged', resolve));
      await Promise.all([written, talked, moved]);
      socket.close();
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
    expect(output).toMatch(/its data is removed\.\n$/u);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(dataDir)).toEqual(['kept']);
  });
});
