import type { activity } from '@pressel/contract/activities';
import type { channelTalk, getDashboard, Trend } from '@pressel/contract/dashboard';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { ACTIVITIES_LAST, DASHBOARD_CHANNELS, TREND_DAYS } from '@pressel/contract/limits';
import type * as z from 'zod';
import { seesTeam } from '#src/accounts/policies.ts';
import { displayName } from '#src/accounts/present-user.ts';
import { guestDisplayName, type Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import { knownTimeZone } from '#src/db/list-sql.ts';
import * as repository from './dashboard.repository.ts';

const ROOMS_MAX = 50;
/** Maximum of people named for a room, or for those who are in none. */
const NAMED_MAX = 20;
const TALKED_CHANNELS_MAX = 20;
/** Maximum of members without a channel who are named. */
const WITHOUT_CHANNEL_MAX = 5;
/** Talks older than this are not told as missed, ms. */
const MISSED_MS = 86_400_000;
const HOURS = 24;

/** The functions of other features that the dashboard needs. */
export interface DashboardNeeds {
  lastActivities(query: { scope: 'spec'; limit: number }): Promise<z.input<ReturnType<typeof activity>>[]>;
  onAir(): Promise<Map<ChannelId, { userId: UserId; name: string; talkingMs: number }[]>>;
  unreadCounts(session: Session): Promise<{ channelId: string; unread: number }[]>;
}

type Dashboard = z.input<(typeof getDashboard)['reply']>['res'];
type ChannelTalk = z.input<ReturnType<typeof channelTalk>>;

export type DashboardService = ReturnType<typeof createDashboardService>;

export function createDashboardService({ db, now, ...needs }: DashboardNeeds & { db: Db; now: () => Date }) {
  async function trendOf(table: 'users' | 'channels', today: repository.Today): Promise<Trend> {
    const rows = await repository.readTrend(db, table, today, TREND_DAYS);
    return trendFrom(rows, rows[0]?.total ?? 0);
  }

  async function live(visible: repository.Visible): Promise<Dashboard['live']> {
    const counts = await repository.countConnected(db, visible);
    const found = await repository.listRooms(db, visible);
    const talking = await needs.onAir();
    const talkersOf = (id: string) => talking.get(id as ChannelId) ?? [];
    const rooms = found
      .toSorted((a, b) => sign(talkersOf(b.id)) - sign(talkersOf(a.id)) || peopleIn(b) - peopleIn(a))
      .slice(0, ROOMS_MAX);
    const ids = rooms.map(({ id }) => id);
    const occupants = byChannel(await repository.listOccupants(db, ids, NAMED_MAX));
    const guests = byChannel(await repository.listGuests(db, ids, NAMED_MAX));
    const outside = await repository.listOutside(db, visible, NAMED_MAX);
    return {
      ...counts,
      rooms: rooms.map(({ guestCount, ...room }) => ({
        ...room,
        users: (occupants.get(room.id) ?? []).map(presentPerson),
        guests: {
          count: guestCount,
          names: (guests.get(room.id) ?? []).map(({ name, linkName }) => guestDisplayName(name, linkName)),
        },
        talkers: talkersOf(room.id),
      })),
      outside: { count: outside[0]?.total ?? 0, users: outside.map(presentPerson) },
    };
  }

  async function talkToday(today: repository.Today, visible: repository.Visible): Promise<Dashboard['talkToday']> {
    const rows = await repository.listTalks(db, today, visible);
    const channels = [...Map.groupBy(rows, ({ channelId }) => channelId)].map(([id, hours]): ChannelTalk => {
      const byHour = new Map(hours.map((row) => [row.hour, row]));
      return {
        id,
        name: hours[0]?.name ?? '',
        ...totalsOf(hours),
        hours: Array.from({ length: HOURS }, (_, hour) => totalsOf([byHour.get(hour) ?? NO_TALK])),
      };
    });
    channels.sort((a, b) => b.talkMs - a.talkMs || b.transmissions - a.transmissions || (a.id < b.id ? -1 : 1));
    return {
      day: await repository.dayOf(db, today),
      ...totalsOf(rows),
      brokenOff: rows.reduce((sum, { brokenOff }) => sum + brokenOff, 0),
      channels: channels.slice(0, TALKED_CHANNELS_MAX),
    };
  }

  async function ofTeam(today: repository.Today): Promise<Dashboard> {
    const withoutChannel = await repository.listWithoutChannel(db, WITHOUT_CHANNEL_MAX);
    return {
      role: 'admin',
      users: await trendOf('users', today),
      channels: await trendOf('channels', today),
      topChannels: (await repository.listTopChannels(db, DASHBOARD_CHANNELS)).map(presentChannel),
      withoutChannel: { count: withoutChannel[0]?.total ?? 0, users: withoutChannel.map(presentPerson) },
      lastActivities: await needs.lastActivities({ scope: 'spec', limit: ACTIVITIES_LAST }),
      live: await live(null),
      talkToday: await talkToday(today, null),
    };
  }

  async function ofMember(session: Session, today: repository.Today): Promise<Dashboard> {
    const rows = await repository.listOwnChannels(db, session.userId);
    const visible = { userId: session.userId, channelIds: rows.map(({ id }) => id) };
    const since = new Date(today.now.getTime() - MISSED_MS);
    const missed = await repository.countMissedTalks(db, session.userId, since);
    const unread = new Map((await needs.unreadCounts(session)).map((row) => [row.channelId, row.unread]));
    return {
      role: 'member',
      channels: rows.map((row) => ({
        ...presentChannel(row),
        unread: unread.get(row.id) ?? 0,
        missedTalks: missed.get(row.id) ?? 0,
      })),
      live: await live(visible),
      talkToday: await talkToday(today, visible),
    };
  }

  return {
    /** Reads one statement after the other: a dashboard must not take every connection of the pool. */
    read: (session: Session, zone: string | undefined): Promise<Dashboard> =>
      knownTimeZone(zone, (timeZone) => {
        const today = { now: now(), timeZone };
        return seesTeam(session) ? ofTeam(today) : ofMember(session, today);
      }),
  };
}

/** @param days oldest first */
export function trendFrom(days: readonly { day: string; age: number; created: number }[], total: number): Trend {
  const before = total - days.reduce((sum, { created }) => sum + created, 0);
  let sofar = before;
  return {
    total,
    days: days.map(({ day, age, created }) => {
      sofar += created;
      return { day, age, created, total: sofar };
    }),
    changePercent: before <= 0 ? null : Math.round(((total - before) / before) * 1_000) / 10,
  };
}

interface Talked {
  talkMs: number;
  transmissions: number;
}
const NO_TALK: Talked = { talkMs: 0, transmissions: 0 };
const totalsOf = (rows: readonly Talked[]): Talked => ({
  talkMs: rows.reduce((sum, { talkMs }) => sum + talkMs, 0),
  transmissions: rows.reduce((sum, { transmissions }) => sum + transmissions, 0),
});

const peopleIn = (room: { connected: number; guestCount: number }): number => room.connected + room.guestCount;
const sign = (talkers: readonly unknown[]): number => Math.sign(talkers.length);

const byChannel = <Row extends { channelId: string }>(rows: readonly Row[]): Map<string, Row[]> =>
  Map.groupBy(rows, ({ channelId }) => channelId);

const presentPerson = (row: repository.PersonRow) => ({ userId: row.userId, name: displayName(row) });

const presentChannel = ({ lastActivityMs, ...row }: repository.ChannelRow) => ({
  ...row,
  lastActivityAt: lastActivityMs === null ? null : new Date(Math.round(lastActivityMs)).toISOString(),
});
