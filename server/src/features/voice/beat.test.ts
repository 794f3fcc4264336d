import { afterEach, beforeEach, expect, test } from 'vitest';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { enterRoom, join, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';

let t: TestApp;
let team: Team;
let steady: number;
beforeEach(async () => {
  steady = 1_000;
  t = await buildTestApp({ steadyNow: () => steady });
  team = await makeTeam(t);
});
afterEach(() => t.close());

/** A talk of one second. Press and release take the given number and the next. */
async function talk(socket: TestSocket, seq: number): Promise<void> {
  await socket.send('floor_request', { seq });
  steady += 1_000;
  await socket.send('floor_release', { seq: seq + 1 });
}

test('[TALK100] a beat is answered with nothing, or with the floor if the client has another version', async () => {
  const ana = await enterRoom(t, team.ana, 'Nord');
  const { version } = ana.state.floor;
  expect(await ana.send('beat', { version })).toEqual({ ok: true, data: {} });
  await ana.send('floor_request', { seq: 1 });
  const news = await ana.send('beat', { version });
  expect(news).toMatchObject({ ok: true, data: { floor: { version: version + 1, talkers: [{ id: ana.id }] } } });
  expect(await ana.send('beat', { version: version + 1 })).toEqual({ ok: true, data: {} });
});

test('[TALK100] who is in no room is told so', async () => {
  const ana = await t.connect(team.ana.token);
  for (const [event, payload] of [
    ['beat', { version: 0 }],
    ['talks_since', { stay: '0.x', version: 0 }],
  ] as const) {
    expect(await ana.send(event, payload as never)).toMatchObject({ ok: false, code: 'not_in_room' });
  }
});

alone('floors count by the clock of the test; those of several processes by the database’s [PROC23]').test(
  '[TALK105] the talks of others since a version are listed to who was there, also after coming back',
  async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    const { stay, floor } = ana.state;
    await talk(bo, 1);
    await talk(ana, 1);
    ana.close();
    await bo.next('user_exit');
    await talk(bo, 3);
    steady += 500;
    await bo.send('floor_request', { seq: 5 });
    const back = await t.connect(team.ana.token);
    await join(back, 'Nord');
    expect(await back.send('talks_since', { stay, version: floor.version })).toEqual({
      ok: true,
      data: {
        talks: [
          { id: bo.id, name: 'Bo Test', beganMsAgo: 3_500, endedMsAgo: 2_500 },
          { id: bo.id, name: 'Bo Test', beganMsAgo: 1_500, endedMsAgo: 500 },
        ],
      },
    });
  },
);

test('[TALK105] nobody is told of talks from before they came, nor with somebody else’s proof', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  await talk(bo, 1);
  const ana = await enterRoom(t, team.ana, 'Nord');
  const ask = (stay: string, version: number) => ana.send('talks_since', { stay, version });
  const nothing = { ok: true, data: { talks: null } };
  expect(await ask(ana.state.stay, 0)).toEqual(nothing);
  expect(await ask(bo.state.stay, 0)).toEqual(nothing);
  expect(await ask(ana.state.stay.replace(/^\d+/u, '0'), 0)).toEqual(nothing);
  expect(await ask(ana.state.stay, ana.state.floor.version)).toEqual({ ok: true, data: { talks: [] } });
});
