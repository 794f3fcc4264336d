import { PRESENCE_TTL_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alone } from './alone.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { makeTeam, type Team } from './factories.ts';
import { waitUntil } from './wait-until.ts';

/** Separates the packets of one polling request (Engine.IO protocol, revision 4). */
const SEPARATOR = '\u001e';
const PATH = '/socket.io/?EIO=4&transport=polling';

alone('several processes take sockets by WebSocket alone (PROC1)').describe(
  'what may be asked before it is known who asks',
  () => {
    let t: TestApp;
    let team: Team;
    /** The time at which the clock of allowances stands still; null: it runs. */
    let stoodAt: number | null;
    beforeEach(async () => {
      stoodAt = null;
      t = await buildTestApp({ steadyNow: () => stoodAt ?? performance.now() });
      team = await makeTeam(t);
    });
    afterEach(() => t.close());

    /** A polling connection, written by hand. */
    async function openPolling() {
      const opened = await (await fetch(`${t.origin}${PATH}`)).text();
      const { sid }: { sid: string } = JSON.parse(opened.slice(1));
      const url = `${t.origin}${PATH}&sid=${sid}`;
      return {
        post: (body: string) => fetch(url, { method: 'POST', body }).then(({ status }) => status),
        poll: () => fetch(url).then((response) => response.text()),
      };
    }

    test('[PRES1] thousands of CONNECT packets in one request are one question, and end the connection', async () => {
      const polling = await openPolling();
      const packets = Array.from({ length: 8_192 }, () => '40{"token":"x"}').join(SEPARATOR);
      await polling.post(packets).catch(() => undefined);
      const answers: string[] = [];
      for (let answer = await polling.poll(); answer.includes('44{'); answer = await polling.poll())
        answers.push(answer);
      expect(answers.join('').split('44{').length - 1).toBeLessThanOrEqual(1);
      expect(await polling.poll()).toMatch(/Session ID unknown|^1$|^6$/u);
    });

    test('[PRES1] a connection asks once: the second question is not heard, and ends it', async () => {
      const polling = await openPolling();
      const question = `40{"token":"${team.ana.token}"}`;
      await polling.post([question, question].join(SEPARATOR)).catch(() => undefined);
      await waitUntil(async () => (await polling.poll().catch(() => '')).includes('Session ID unknown'));
      expect(t.logLines.map(({ msg }) => msg)).toContain('socket_flooded');
    });

    test('[PRES1] who is refused has to come again: the connection ends', async () => {
      const polling = await openPolling();
      await polling.post('40{"token":"x"}');
      expect(await polling.poll()).toContain('"code":"unauthenticated"');
      await waitUntil(async () => (await polling.poll().catch(() => '')).includes('Session ID unknown'));
    });

    test('[PRES1] other namespaces do not exist, and asking for one ends the connection as well', async () => {
      const polling = await openPolling();
      await polling.post(`40/admin,{"token":"${team.admin.token}"}`);
      expect(await polling.poll()).toContain('Invalid namespace');
      await waitUntil(async () => (await polling.poll().catch(() => '')).includes('Session ID unknown'));
    });

    test('[PRES26] a socket that answers no more, and a process that is gone, are out of their rooms within 30 s', async () => {
      const opened = await (await fetch(`${t.origin}${PATH}`)).text();
      const { pingInterval, pingTimeout } = JSON.parse(opened.slice(1));
      expect(pingInterval).toBeGreaterThan(0);
      expect(pingTimeout).toBeGreaterThan(0);
      expect(pingInterval + pingTimeout).toBeLessThanOrEqual(30_000);
      expect(PRESENCE_TTL_MS).toBeLessThanOrEqual(30_000);
    });

    test('a polling client with a token is let in as before', async () => {
      const polling = await openPolling();
      expect(await polling.post(`40{"token":"${team.ana.token}"}`)).toBe(200);
      expect(await polling.poll()).toMatch(/^40\{"sid"/u);
    });

    /** A WebSocket that has not authenticated yet; null when it is refused. */
    const openRaw = () => {
      const raw = new WebSocket(`${t.origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
      return new Promise<WebSocket | null>((resolve) => {
        raw.onopen = () => resolve(raw);
        raw.onerror = () => resolve(null);
      });
    };
    const openMany = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, openRaw))).filter((raw) => raw !== null);
    const canConnect = async () => (await t.connect(team.ana.token).catch(() => null)) !== null;

    test('[PRES3] an address has 512 connections open that have not said whose they are', async () => {
      const opened = await openMany(600);
      expect(opened).toHaveLength(512);
      expect(await canConnect()).toBe(false);
      for (const raw of opened.slice(0, 3)) raw.close();
      await waitUntil(canConnect);
      for (const raw of opened) raw.close();
    });

    test('[PRES45] who says whose the connection is takes nothing of what strangers may open', async () => {
      stoodAt = performance.now();
      for (let opened = 0; opened < 998; ) {
        const some = await openMany(Math.min(200, 998 - opened));
        opened += some.length;
        await Promise.all(
          some.map((raw) => {
            const closed = new Promise((resolve) => raw.addEventListener('close', resolve));
            raw.close();
            return closed;
          }),
        );
      }
      for (let time = 0; time < 4; time += 1) (await t.connect(team.ana.token)).close();
      expect(await openMany(3)).toHaveLength(2);
      expect(await canConnect()).toBe(false);
    });

    test('[PRES4] a user has 32 screens at most, those counted that are let in at the same moment', async () => {
      const opened = await openMany(67);
      const answers = opened.map(async (raw) => {
        const { promise, resolve } = Promise.withResolvers<string>();
        raw.onmessage = ({ data }) => /^4[04]/u.test(data) && resolve(data);
        return promise;
      });
      for (const raw of opened) raw.send(`40{"token":"${team.ana.token}"}`);
      const refused = (await Promise.all(answers)).filter((answer) => answer.startsWith('44'));
      expect(refused).toHaveLength(67 - 32);
      for (const answer of refused) expect(answer).toContain('"code":"too_many"');
      for (const raw of opened) raw.close();
      await waitUntil(canConnect);
    });
  },
);
