import type { ChannelId } from '@pressel/contract/ids';
import { BEAT_MS, BEAT_SILENCE_MS, FLOOR_BUSY_MS } from '@pressel/contract/limits';
import type { Participant } from '@pressel/contract/presence';
import { describe, expect, test } from 'vitest';
import {
  type Addressees,
  audience,
  type EnteredRoom,
  type LiveParticipant,
  type Participants,
} from '#src/sockets/sockets.ts';
import { buildTestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeTeam } from '#test/factories.ts';
import { pingsOf, wireOf } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';
import type { Silence } from './presence.store.ts';
import { createSilenceNews, createSilenceSweep, SILENCE_SWEEP_MS } from './silence.ts';

const NORD = 'nord' as ChannelId;

/** Sets up Ana in Nord and a table that answers when a test says so; records what the room was told and the table was asked. */
function open() {
  const happened: string[] = [];
  const answers: ((taken: ReadonlySet<LiveParticipant> | null) => void)[] = [];
  const enteredRoom = { id: NORD, video: null, isSilent: false } as unknown as EnteredRoom;
  const one = { id: 'ana', socket: {}, session: { role: 'member' }, enteredRooms: new Map([[NORD, enteredRoom]]) };
  const ana = one as unknown as LiveParticipant;
  const wordOf = (isSilent: boolean | undefined) => (isSilent === true ? 'silent' : 'back');
  const to = (name: string | readonly string[]): Addressees => ({
    except: () => to(name),
    emit: (_event, payload) => {
      if (name === audience.inRoom(NORD)) happened.push(`told ${wordOf((payload as Participant).silent)}`);
    },
  });
  const tell = createSilenceNews({
    ...{ sockets: { to }, photos: { urlOf: () => null }, isShared: true, isCutOff: () => false },
    store: {
      silence(enteredRooms: readonly Silence[]) {
        happened.push(`store ${enteredRooms.map(({ isSilent }) => wordOf(isSilent))}`);
        const { promise, resolve } = Promise.withResolvers<ReadonlySet<LiveParticipant> | null>();
        answers.push(resolve);
        return promise;
      },
    },
    release({ id }) {
      happened.push(`released ${id}`);
      one.enteredRooms.clear();
    },
  });
  const become = (isSilent: boolean) => {
    enteredRoom.isSilent = isSilent;
    return tell([{ participant: ana, enteredRoom }]);
  };
  const answer = async (taken: ReadonlySet<LiveParticipant> | null = new Set()) => {
    await Promise.resolve();
    answers.shift()?.(taken);
  };
  return { ana, happened, become, answer, retry: () => tell([]) };
}

test('[PROC12] who is silent is stored before the room is told, one change after the other', async () => {
  const { happened, become, answer } = open();
  const [silent, back] = [become(true), become(false)];
  await answer();
  await Promise.all([silent, answer()]);
  await back;
  // The later change, as stored, includes the earlier one.
  expect(happened.filter((one) => one.startsWith('told'))).toEqual(['told silent', 'told back']);
  expect(happened[0]).toBe('store back');
});

test('[PROC12] a room is told though the database doesn’t answer, in the order of the changes', async () => {
  const { happened, become } = open();
  await Promise.all([become(true), become(false)]);
  expect(happened.slice(1)).toEqual(['told silent', 'told back']);
});

test('[PROC12] what could not be stored is stored with the next change, or the next look', async () => {
  const { happened, become, answer, retry } = open();
  await Promise.all([become(true), answer(null)]);
  await Promise.all([retry(), answer()]);
  await retry();
  expect(happened).toEqual(['store silent', 'told silent', 'store silent']);
});

test('[PROC11] nobody is told of one that another process has taken over: it is released', async () => {
  const { ana, happened, become, answer } = open();
  await Promise.all([become(true), answer(new Set([ana]))]);
  expect(happened).toEqual(['store silent', 'released ana']);
});

test('[PRES27] a client that stops beating is called silent, also to who enters then, until it beats again', async () => {
  const t = await buildTestApp();
  const team = await makeTeam(t);
  // Bo never beats, and is never called silent.
  const bo = await enterRoom(t, team.bo, 'Nord');
  const ana = await enterRoom(t, team.ana, 'Nord');
  const beat = () => ana.send('beat', { version: ana.state.floor.version });
  await beat();
  await beat();
  wireOf(ana).pause();
  expect(await bo.next('participant_changed')).toEqual({ ...ana.state.self, channelId: team.nord, silent: true });
  const { participants } = (await enterRoom(t, team.admin, 'Nord')).state;
  expect(participants.map(({ id, silent }) => [id, silent])).toEqual([
    [bo.id, undefined],
    [ana.id, true],
  ]);
  wireOf(ana).resume();
  await beat();
  expect(await bo.next('participant_changed')).toEqual({ ...ana.state.self, channelId: team.nord });
  // The room was told once of each.
  expect(bo.waiting('participant_changed')).toEqual([]);
  await t.close();
});

test('[TALK100] [PRES27] a renewal is as good as a beat of who beats, and makes nobody silent who never does', async () => {
  const t = await buildTestApp();
  const team = await makeTeam(t);
  const witness = await enterRoom(t, team.admin, 'Nord');
  const bo = await enterRoom(t, team.bo, 'Nord');
  const ana = await enterRoom(t, team.ana, 'Nord');
  await bo.send('floor_renew', { seq: 1 });
  await ana.send('beat', { version: ana.state.floor.version });
  for (const one of [bo, ana]) wireOf(one).pause();
  expect(await witness.next('participant_changed')).toEqual({ ...ana.state.self, channelId: team.nord, silent: true });
  wireOf(ana).resume();
  await ana.send('floor_renew', { seq: 1 });
  expect(await witness.next('participant_changed')).toEqual({ ...ana.state.self, channelId: team.nord });
  expect(witness.waiting('participant_changed')).toEqual([]);
  wireOf(bo).resume();
  await t.close();
});

test('[PRES27] whoever was silent and enters anew is not', async () => {
  const t = await buildTestApp();
  const team = await makeTeam(t);
  const bo = await enterRoom(t, team.bo, 'Nord');
  const ana = await enterRoom(t, team.ana, 'Nord');
  await ana.send('beat', { version: 0 });
  wireOf(ana).pause();
  await bo.next('participant_changed', ({ silent }) => silent === true);
  wireOf(ana).resume();
  await ana.send('leave_room', {});
  expect(await ana.send('join_room', { room: 'Nord' })).toMatchObject({ ok: true });
  expect(await bo.next('user joined', ({ id }) => id === ana.id)).toMatchObject({ id: ana.id });
  expect((await enterRoom(t, team.admin, 'Nord')).state.participants.map(({ silent }) => silent)).toEqual([
    undefined,
    undefined,
  ]);
  await t.close();
});

test('[PRES27] a page that is only busy is not called silent while its browser answers; a link that dies then is', async () => {
  const t = await buildTestApp();
  const team = await makeTeam(t);
  const bo = await enterRoom(t, team.bo, 'Nord');
  const ana = await enterRoom(t, team.ana, 'Nord');
  const pings = pingsOf(ana);
  await ana.send('beat', { version: 0 });
  // The server stops asking a silent participant: without an answer that counts there are at most three pings.
  await waitUntil(() => pings.count >= 4);
  await caughtUp(bo);
  expect(bo.waiting('participant_changed')).toEqual([]);
  wireOf(ana).pause();
  expect(await bo.next('participant_changed')).toEqual({ ...ana.state.self, channelId: team.nord, silent: true });
  await t.close();
});

describe('the sweep', () => {
  /** Two in a room, a clock, and what the room was told. */
  const open = () => {
    let time = 50_000;
    const told: string[] = [];
    const participantOf = (name: string) => {
      const enteredRoom: Partial<EnteredRoom> = { id: 'nord' as ChannelId, video: null, beatAt: null, isSilent: false };
      const one = {
        id: name,
        socket: { id: name },
        session: { role: 'member' },
        enteredRooms: new Map([['nord', enteredRoom]]),
      };
      return one as unknown as LiveParticipant;
    };
    const members = [participantOf('ana'), participantOf('bo')];
    /** The pings of each browser, and its answers: none unless a test says so. */
    const pinged: string[] = [];
    const answers = new Map<string, (told: () => void) => void>();
    const photosTold: string[] = [];
    const room = (audiences: string | readonly string[]): Addressees => ({
      except: () => room(audiences),
      emit: (_event, payload) => {
        const { id, silent, photo_url } = payload as Participant;
        if (photo_url !== undefined) photosTold.push(...[audiences].flat());
        if (audiences !== audience.guestsIn('nord')) {
          told.push(`${id} ${silent === true ? 'silent' : 'back'}`);
        }
      },
    });
    const sweep = createSilenceSweep({
      sockets: { participants: { all: () => members } as unknown as Participants },
      tell: createSilenceNews({
        ...{
          sockets: { to: room },
          photos: { urlOf: () => '/photo' },
          isShared: false,
          isCutOff: () => false,
          release: () => undefined,
        },
        store: { silence: async () => new Set() },
      }),
      pingBrowser: ({ id }, told) => {
        pinged.push(id);
        answers.get(id)?.(told);
      },
      now: () => time,
    });
    const beat = (who: number) => {
      const enteredRoom = members[who]?.enteredRooms.get('nord' as ChannelId);
      if (enteredRoom) enteredRoom.beatAt = time;
    };
    /** Time passes as it does on a quiet machine. */
    const pass = (ms: number) => {
      for (let passed = SILENCE_SWEEP_MS; passed <= ms; passed += SILENCE_SWEEP_MS) {
        time += SILENCE_SWEEP_MS;
        void sweep();
      }
    };
    const standStill = (ms: number) => {
      time += ms;
      void sweep();
    };
    return { told, photosTold, pinged, answers, beat, pass, standStill };
  };

  test('[PRES27] knows within 3 s, and says it once, to guests without the photo (GUEST7)', () => {
    const { told, photosTold, beat, pass } = open();
    beat(0);
    pass(2_000);
    expect(told).toEqual([]);
    pass(1_000);
    expect(told).toEqual(['ana silent']);
    expect(photosTold).toEqual([audience.inRoom('nord')]);
    pass(60_000);
    expect(told).toEqual(['ana silent']);
    beat(0);
    pass(SILENCE_SWEEP_MS);
    expect(told).toEqual(['ana silent', 'ana back']);
  });

  test('[PRES27] asks the browser before it calls anybody silent, but nobody who beats or who never did', () => {
    const { told, pinged, beat, pass } = open();
    for (let turn = 0; turn < 10; turn += 1) {
      beat(0);
      pass(BEAT_MS);
    }
    expect(pinged).toEqual([]);
    beat(0);
    pass(BEAT_SILENCE_MS - SILENCE_SWEEP_MS);
    expect(pinged.length).toBeGreaterThan(0);
    expect(told).toEqual([]);
    pass(60_000);
    expect(new Set(pinged)).toEqual(new Set(['ana']));
    // The browser is not asked for as long as the link is dead.
    expect(pinged.length).toBeLessThan(5);
  });

  test('[PRES27] does not mean a page that is busy for seconds while its browser answers, but one that is for longer', () => {
    const { told, answers, beat, pass } = open();
    answers.set('ana', (answer) => answer());
    beat(0);
    pass(FLOOR_BUSY_MS - SILENCE_SWEEP_MS);
    expect(told).toEqual([]);
    beat(0);
    pass(FLOOR_BUSY_MS - SILENCE_SWEEP_MS);
    expect(told).toEqual([]);
    pass(SILENCE_SWEEP_MS);
    expect(told).toEqual(['ana silent']);
    pass(60_000);
    expect(told).toEqual(['ana silent']);
  });

  test.each([0, 1_000, 2_000, 3_000, 4_000])(
    '[PRES27] tells of a link that dies after %i ms of that within 3 s',
    (busy) => {
      const { told, answers, beat, pass } = open();
      answers.set('ana', (answer) => answer());
      beat(0);
      pass(busy);
      answers.delete('ana');
      pass(3_000);
      expect(told).toEqual(['ana silent']);
    },
  );

  test('[PRES27] takes no late answer for a beat', () => {
    const { told, answers, beat, pass } = open();
    const late: (() => void)[] = [];
    answers.set('ana', (answer) => void late.push(answer));
    beat(0);
    pass(3_000);
    expect(told).toEqual(['ana silent']);
    for (const answer of late) answer();
    pass(3_000);
    expect(told).toEqual(['ana silent']);
    beat(0);
    pass(SILENCE_SWEEP_MS);
    expect(told).toEqual(['ana silent', 'ana back']);
  });

  test('[PRES27] never means a hidden tab, whose timers run once a second and may miss a turn', () => {
    const { told, beat, pass } = open();
    for (let turn = 0; turn < 30; turn += 1) {
      beat(0);
      pass(2 * BEAT_MS);
    }
    expect(told).toEqual([]);
  });

  test('[PRES27] means nobody after the process stood still, and forgets nobody by it', () => {
    const { told, beat, pass, standStill } = open();
    beat(0);
    pass(3_000);
    beat(1);
    expect(told).toEqual(['ana silent']);
    standStill(20_000);
    standStill(20_000);
    expect(told).toEqual(['ana silent']);
    beat(1);
    pass(BEAT_SILENCE_MS - SILENCE_SWEEP_MS);
    expect(told).toEqual(['ana silent']);
    pass(1_000);
    expect(told).toEqual(['ana silent', 'bo silent']);
  });
});
