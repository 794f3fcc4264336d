import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { buildTestApp } from '#test/build-test-app.ts';
import { enterRoom, makeTeam } from '#test/factories.ts';

describe('ICE', () => {
  test('relay credentials are minted for the user, end within the hour, and fit the shared secret', async () => {
    const time = new Date('2026-03-01T08:00:00.900Z');
    const t = await buildTestApp({
      now: () => time,
      config: {
        ice: {
          stunUrls: ['stun:s.example'],
          turnUrls: ['turn:t.example?transport=udp'],
          turnSecret: 'k',
          policy: 'relay',
        },
      },
    });
    const team = await makeTeam(t);
    const { state, ...ana } = await enterRoom(t, team.ana, 'Nord');
    const username = `${time.setMilliseconds(0) / 1000 + 3600}:${team.ana.id}`;
    expect(state.ice).toEqual({
      iceTransportPolicy: 'relay',
      ttlSeconds: 3600,
      iceServers: [
        { urls: ['stun:s.example'] },
        {
          urls: ['turn:t.example?transport=udp'],
          username,
          credential: createHmac('sha1', 'k').update(username).digest('base64'),
        },
      ],
    });
    expect(await ana.send('ice_config', {})).toEqual({ ok: true, data: state.ice });
    await t.close();
  });

  test('without servers there are none, and every path is allowed', async () => {
    const t = await buildTestApp();
    const team = await makeTeam(t);
    const { state } = await enterRoom(t, team.ana, 'Nord');
    expect(state.ice).toEqual({ iceServers: [], iceTransportPolicy: 'all', ttlSeconds: 3600 });
    await t.close();
  });
});
