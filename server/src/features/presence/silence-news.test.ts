import type { ChannelId } from '@pressel/contract/ids';
import type { Participant } from '@pressel/contract/presence';
import { expect, test } from 'vitest';
import { type Addressees, audience, type EnteredRoom, type LiveParticipant } from '#src/sockets/sockets.ts';
import type { Silence } from './presence.store.ts';
import { createSilenceNews } from './silence-news.ts';

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
    ...{ sockets: { to }, photos: { urlOf: () => null }, isShared: true },
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
