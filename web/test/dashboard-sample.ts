import type { Dashboard, Trend } from '@pressel/contract/dashboard';

type OfAdmin = Extract<Dashboard, { role: 'admin' }>;
type OfMember = Extract<Dashboard, { role: 'member' }>;

const common = {
  live: { connected: 0, inRooms: 0, rooms: [], outside: { count: 0, users: [] } },
  talkToday: { day: '2026-11-21', talkMs: 0, transmissions: 0, brokenOff: 0, channels: [] },
};

/** A trend of ten days: all of them were created on the last day. */
export const trendOf = (total: number, changePercent: number | null = null): Trend => ({
  total,
  changePercent,
  days: Array.from({ length: 10 }, (_, index) => ({
    day: `2026-11-${12 + index}`,
    age: 10 - index,
    created: index === 9 ? total : 0,
    total: index === 9 ? total : 0,
  })),
});

/** The dashboard of an administrator of an empty team. */
export const dashboardOf = (over: Partial<OfAdmin>): OfAdmin => ({
  role: 'admin',
  users: trendOf(1),
  channels: trendOf(0),
  topChannels: [],
  withoutChannel: { count: 0, users: [] },
  lastActivities: [],
  ...common,
  ...over,
});

export const memberDashboardOf = (over: Partial<OfMember>): OfMember => ({
  role: 'member',
  channels: [],
  ...common,
  ...over,
});
