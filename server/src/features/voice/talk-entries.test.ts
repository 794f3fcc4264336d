import { channelId, type ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import type { LoggedAct } from '#src/platform/acts.ts';
import type { Socket } from '#src/platform/sockets.ts';
import { createTalkEntries } from './talk-entries.ts';

const NORD = channelId.parse('01900000-0000-7000-8000-00000000000a');
const SUD = channelId.parse('01900000-0000-7000-8000-00000000000b');

test('[LOG4] talks that wait for an entry are told of the channel in which they were', () => {
  const acts: LoggedAct[] = [];
  const entries = createTalkEntries({ add: (act) => acts.push(act), now: () => new Date(0), steadyNow: () => 0 });
  const id = 's' as ParticipantId;
  const session = { userId: 'u', firstName: 'Ana', displayName: 'Ana', address: null };
  const socket = { id, data: { session, channel: { id: NORD, name: 'Nord' } } };
  const talk = (channel: typeof NORD, name: string, durationMs: number, end: 'released' | 'left') => {
    socket.data.channel = { id: channel, name };
    entries.began(channel, socket as unknown as Socket);
    entries.ended(channel, id, { durationMs, end });
  };
  for (let n = 0; n < 65; n += 1) talk(NORD, 'Nord', 10, 'released');
  talk(SUD, 'Sud', 1_000, 'left');
  const totals = Object.groupBy(acts, ({ channel }) => channel?.name ?? '');
  const sum = (of: LoggedAct[] = []) =>
    of.reduce((ms, { details }) => ms + (details as { durationMs: number }).durationMs, 0);
  expect([sum(totals.Nord), sum(totals.Sud)]).toEqual([650, 1_000]);
});

test('[LOG4] a new connection brings no new entries', () => {
  const acts: LoggedAct[] = [];
  const entries = createTalkEntries({ add: (act) => acts.push(act), now: () => new Date(0), steadyNow: () => 0 });
  const session = { userId: 'u', firstName: 'Ana', displayName: 'Ana', address: null };
  for (let n = 0; n < 100; n += 1) {
    const id = `s${n}` as ParticipantId;
    entries.began(NORD, { id, data: { session, channel: { id: NORD, name: 'Nord' } } } as unknown as Socket);
    entries.ended(NORD, id, { durationMs: 10, end: 'released' });
  }
  expect(acts).toHaveLength(60);
});

test('[LOG4] what is beyond sixty at once and one every two seconds is added to the next, with the end of the last', () => {
  const acts: LoggedAct[] = [];
  let time = 0;
  const entries = createTalkEntries({ add: (act) => acts.push(act), now: () => new Date(0), steadyNow: () => time });
  const id = 's' as ParticipantId;
  const session = { userId: 'u', firstName: 'Ana', displayName: 'Ana', address: null };
  const socket = { id, data: { session, channel: { id: NORD, name: 'Nord' } } } as unknown as Socket;
  const talk = (durationMs: number, end: 'released' | 'time_limit') => {
    entries.began(NORD, socket);
    entries.ended(NORD, id, { durationMs, end });
  };
  for (let n = 0; n < 63; n += 1) talk(10, 'released');
  expect(acts.map(({ details }) => details)).toEqual(Array(60).fill({ durationMs: 10, end: 'released' }));
  time += 1_999;
  talk(10, 'released');
  expect(acts).toHaveLength(60);
  time += 1;
  talk(5_000, 'time_limit');
  expect(acts.slice(60).map(({ details }) => details)).toEqual([{ durationMs: 5_040, end: 'time_limit', talks: 5 }]);
  time += 2_000;
  talk(20, 'released');
  expect(acts.slice(61).map(({ details }) => details)).toEqual([{ durationMs: 20, end: 'released' }]);
});
