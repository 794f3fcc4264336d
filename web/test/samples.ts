import { type SessionUser, sessionUser } from '@pressel/contract/auth';
import { type Channel, channel } from '@pressel/contract/channels';
import { type User, user } from '@pressel/contract/users';

/** A deterministic id for `n`. */
export const sampleId = (n: number): string => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const CREATED_AT = '2026-11-20T10:00:00.000Z';

/** A session's user, by default an administrator. */
export const sessionUserOf = (part: Partial<SessionUser> = {}): SessionUser => ({
  ...sessionUser().parse({
    id: sampleId(1),
    identifier: 'camille@example.org',
    firstName: 'Camille',
    lastName: 'Durand',
    pseudo: 'CAM',
    display_name: 'Camille Durand',
    photo_url: null,
    role: 'admin',
    mapRight: true,
    createdAt: CREATED_AT,
  }),
  ...part,
});

export const userOf = (n: number, firstName: string, lastName: string): User =>
  user().parse({
    id: sampleId(n),
    firstName,
    lastName,
    identifier: `${firstName.toLowerCase()}@example.org`,
    pseudo: firstName.slice(0, 3).toUpperCase(),
    display_name: firstName,
    role: 'member',
    mapRight: false,
    createdAt: CREATED_AT,
    phone_number: '',
    user_sockets: [],
    version: 1,
    photo_url: null,
    userActivities: [],
  });

export const channelOf = (n: number, name: string, memberIds: readonly string[] = []): Channel =>
  channel().parse({
    id: sampleId(100 + n),
    name,
    rtcSession: name.replace(/\s+/gu, ''),
    talkMode: 'single',
    createdAt: CREATED_AT,
    version: 1,
    users: memberIds.map((id) => ({ id })),
    userCount: memberIds.length,
    connected: 0,
    talkers: [],
    lastTalk: null,
    lastActivityAt: null,
  });

/** The answer of a list call for these rows: filtered and paged like the server does. */
export function pageOf<Row>(
  rows: readonly Row[],
  query: { start?: number | undefined; limit?: number | undefined; filter?: string | undefined },
  textOf: (row: Row) => string,
) {
  const wanted = (query.filter ?? '').toLowerCase();
  const found = rows.filter((row) => textOf(row).toLowerCase().includes(wanted));
  const start = query.start ?? 0;
  return {
    success: true,
    res: found.slice(start, start + (query.limit ?? found.length)),
    totalRecords: found.length,
    connected: 0,
  };
}
