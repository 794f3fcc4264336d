import type { ChannelId, UserId } from '@pressel/contract/ids';
import { MESSAGE_IMAGE_MAX_PX, REMEMBERED_SESSION_MS, THUMBNAIL_SIZE_PX } from '@pressel/contract/limits';
import { roomKey } from '@pressel/contract/text';
import { createPasswords } from '../../server/src/accounts/passwords.ts';
import { displayName } from '../../server/src/accounts/present-user.ts';
import { loadSecrets } from '../../server/src/accounts/secrets.ts';
import type { Db, Tx } from '../../server/src/db/connect.ts';
import { channelMembers, channels } from '../../server/src/db/schema/channels.ts';
import { messageCounters, messageFiles, messageMarks, messages } from '../../server/src/db/schema/messages.ts';
import { lastPositions, userPositions } from '../../server/src/db/schema/positions.ts';
import { sessions, users } from '../../server/src/db/schema/users.ts';
import { recordActivities } from '../../server/src/features/activities/activities.repository.ts';
import { createMessageFiles, type MessageFilesDeps } from '../../server/src/features/chat/message-files.store.ts';
import type { NewFile } from '../../server/src/features/chat/messages.repository.ts';
import { createFolder } from '../../server/src/files/folder.ts';
import type { LoggedAct, RecordedAct } from '../../server/src/history/change.ts';
import { createImages } from '../../server/src/images/images.ts';
import { hashToken, makeToken, uuidV7 } from '../../server/src/shared/ids.ts';
import { type PastAct, pastWeek } from './history.ts';
import { type PictureName, paint } from './pictures.ts';
import type { Random } from './random.ts';
import { pointAt } from './routes.ts';
import { ADMINISTRATOR, CHANNELS, type DemoPerson, PEOPLE } from './team.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The team was founded this many days ago, before the week that the demo tells. */
const FOUNDED_DAYS = 9;
const TRAIL_MINUTES = 60;
const TRAIL_STEP_MS = 30_000;
const ACCURACY_M = 12;
/** Messages of each channel that the administrator has not read yet. */
const UNREAD = 3;
/** Rows of one statement: PostgreSQL takes 65,535 parameters. */
const ROWS_AT_ONCE = 2_000;

export interface Actor extends DemoPerson {
  id: UserId;
  displayName: string;
  token: string;
}
export interface DemoRoom {
  id: ChannelId;
  name: string;
  rtcSession: string;
}
/** The team as it is stored; in the order of PEOPLE and CHANNELS. */
export interface Cast {
  people: readonly Actor[];
  channels: readonly DemoRoom[];
}

export interface StoreOptions {
  dataDir: string;
  /** The password of everybody. */
  password: string;
  random: Random;
  /** ms since 1970. */
  now: number;
  log: MessageFilesDeps['log'];
}

/**
 * Puts team and week into an empty database, in one transaction. No call of the product dates things back. Forty sign-ups and sign-ins
 * would take four seconds of hashing, so everybody has one hash, and a session from the start.
 */
export async function storeTeam(db: Db, options: StoreOptions): Promise<Cast> {
  const { now, random, password } = options;
  const passwordHash = await (await createPasswords()).hash(password);
  const founded = new Date(now - FOUNDED_DAYS * DAY_MS);
  const people = PEOPLE.map((person): Actor => {
    const names = { ...person, displayName: displayName(person) };
    return { ...names, id: uuidV7(founded.getTime()) as UserId, token: makeToken() };
  });
  const rooms = CHANNELS.map(({ name }): DemoRoom => {
    const shown = name.normalize('NFC');
    return { id: uuidV7(founded.getTime()) as ChannelId, name: shown, rtcSession: roomKey(shown) };
  });
  const administrator = { ...ADMINISTRATOR, id: uuidV7(founded.getTime()) };
  const week = pastWeek(now, random);
  const files = await storePictures(db, week, options);

  await db.transaction(async (tx) => {
    const account = { passwordHash, createdAt: founded };
    await tx.insert(users).values([
      { ...administrator, ...account, identifier: administrator.login, role: 'admin', mapRight: true },
      ...people.map((person, index) => ({
        ...{ id: person.id, identifier: person.login, firstName: person.firstName, lastName: person.lastName },
        ...{ pseudo: person.pseudo, phoneNumber: person.phoneNumber, mapRight: person.mapRight, passwordHash },
        role: 'member' as const,
        createdAt: joinedAt(index, now),
      })),
    ]);
    await tx.insert(channels).values(
      rooms.map((room, index) => ({
        ...room,
        talkMode: 'single' as const,
        createdAt: new Date(+founded + index * MINUTE_MS),
      })),
    );
    await tx
      .insert(channelMembers)
      .values(
        rooms.flatMap(({ id: channelId }, index) => [
          { channelId, userId: administrator.id, createdAt: founded },
          ...people
            .filter((person) => person.channels.includes(index))
            .map(({ id }) => ({ channelId, userId: id, createdAt: founded })),
        ]),
      );
    await tx.insert(sessions).values(
      people.map(({ id, token }, index) => ({
        ...{ id: uuidV7(now), tokenHash: hashToken(token), userId: id, remember: true },
        ...(index % 3 === 0
          ? { browser: 'Firefox', system: 'Windows' }
          : { browser: 'Chrome', system: index % 3 === 1 ? 'Android' : 'Windows' }),
        createdAt: new Date(now - (index + 1) * MINUTE_MS),
        // A demo may be left on over a weekend.
        expiresAt: new Date(now + REMEMBERED_SESSION_MS),
      })),
    );
    await storeMessages(tx, week, files, { people, channels: rooms }, administrator.id);
    await storeTrails(tx, people, now);
    const founder = { ...administrator, displayName: displayName(administrator), address: null };
    await recordActivities(tx, [
      ...foundation(founder, rooms, people, now),
      ...logOf(week, { people, channels: rooms }),
    ]);
  });
  return { people, channels: rooms };
}

/** People came over the days, as the dashboard's growth shows. */
const joinedAt = (index: number, now: number): Date =>
  new Date(now - (FOUNDED_DAYS - Math.floor(index / 14)) * DAY_MS + index * MINUTE_MS);

/** The files of the week's pictures, by their acts; each painted once. */
async function storePictures(
  db: Db,
  week: readonly PastAct[],
  { dataDir, log }: StoreOptions,
): Promise<ReadonlyMap<PastAct, NewFile>> {
  const secrets = await loadSecrets(db);
  const store = createMessageFiles({
    store: createFolder(dataDir, log),
    key: secrets.messagePaths,
    known: async () => new Set(),
    whileNoBackup: async () => false,
    now: () => new Date(),
    log,
  });
  const makers = createImages({ log });
  // Nobody cancels this.
  const caller = { owner: 'demo', signal: new AbortController().signal };
  const made = new Map<PictureName, ReturnType<typeof makers.makeWithThumbnail>>();
  const files = new Map<PastAct, NewFile>();
  for (const act of week) {
    if (act.type !== 'message' || act.picture === null) continue;
    const { picture } = act;
    const size = (side: number) => ({ width: side, height: side, fit: 'inside' }) as const;
    const making =
      made.get(picture) ??
      makers.makeWithThumbnail(caller, paint(picture), size(MESSAGE_IMAGE_MAX_PX), size(THUMBNAIL_SIZE_PX));
    made.set(picture, making);
    const { image, thumbnail } = await making;
    const storedName = await store.put(image.bytes, thumbnail.bytes);
    const { width, height, bytes } = image;
    files.set(act, { storedName, fileName: `${picture}.webp`, width, height, bytes: bytes.length });
  }
  makers.close();
  return files;
}

async function storeMessages(
  tx: Tx,
  week: readonly PastAct[],
  files: ReadonlyMap<PastAct, NewFile>,
  { people, channels: rooms }: Cast,
  administratorId: string,
): Promise<void> {
  const newest = rooms.map(() => 0);
  const stored = week.flatMap((act) => {
    const sender = people[act.who];
    const room = act.type === 'message' ? rooms[act.channel] : undefined;
    if (act.type !== 'message' || sender === undefined || room === undefined) return [];
    const number = (newest[act.channel] ?? 0) + 1;
    newest[act.channel] = number;
    const id = uuidV7(act.at);
    const { id: userId, displayName: userDisplayName } = sender;
    const row = { id, channelId: room.id, number, userId, userDisplayName, text: act.text, clientId: id };
    return [{ row: { ...row, createdAt: new Date(act.at) }, file: files.get(act) }];
  });
  await tx.insert(messages).values(stored.map(({ row }) => row));
  const filed = stored.flatMap(({ row, file }) => (file === undefined ? [] : [{ ...file, messageId: row.id }]));
  if (filed.length > 0) await tx.insert(messageFiles).values(filed);
  await tx
    .insert(messageCounters)
    .values(rooms.map(({ id }, index) => ({ channelId: id, newest: newest[index] ?? 0 })));
  await tx.insert(messageMarks).values(
    rooms.flatMap(({ id: channelId }, index) => {
      const read = newest[index] ?? 0;
      const members = people.filter((person) => person.channels.includes(index));
      return [
        { userId: administratorId, channelId, readUpTo: Math.max(0, read - UNREAD) },
        ...members.map(({ id }) => ({ userId: id, channelId, readUpTo: read })),
      ];
    }),
  );
}

/** The last hour of everybody's way, up to where their first move begins. */
async function storeTrails(tx: Tx, people: readonly Actor[], now: number): Promise<void> {
  const rows = people.flatMap(({ id: userId, course }) => {
    const steps = course.speed === 0 ? 1 : (TRAIL_MINUTES * MINUTE_MS) / TRAIL_STEP_MS;
    return Array.from({ length: steps }, (_, step) => {
      const before = (steps - step) * TRAIL_STEP_MS;
      return { userId, recordedAt: new Date(now - before), ...pointAt(course, -before), accuracy: ACCURACY_M };
    });
  });
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    await tx.insert(userPositions).values(rows.slice(start, start + ROWS_AT_ONCE));
  const last = new Map(rows.map((row) => [row.userId, row]));
  await tx.insert(lastPositions).values([...last.values()].map((row) => ({ ...row, loggedAt: row.recordedAt })));
}

type LoggedUser = NonNullable<LoggedAct['user']>;

function foundation(user: LoggedUser, rooms: readonly DemoRoom[], people: readonly Actor[], now: number): LoggedAct[] {
  const begun = now - FOUNDED_DAYS * DAY_MS;
  return [
    ...rooms.map(
      ({ id, name }, index): LoggedAct => ({
        ...{ user, at: new Date(begun + index * MINUTE_MS), type: 'channel_creation', channel: { id, name } },
        details: { members: people.filter((person) => person.channels.includes(index)).length + 1 },
      }),
    ),
    ...people.map(
      ({ id, displayName: name, login, mapRight, channels: own }, index): LoggedAct => ({
        ...{ user, at: joinedAt(index, now), type: 'user_creation', target: { id, name } },
        details: { login, role: 'member', mapRight, channels: own.length, by: 'administrator' },
      }),
    ),
  ];
}

const logOf = (week: readonly PastAct[], { people, channels: rooms }: Cast): LoggedAct[] =>
  week.flatMap((act) => {
    const person = people[act.who];
    if (person === undefined) return [];
    const { id, firstName, displayName: name } = person;
    const room = 'channel' in act ? rooms[act.channel] : undefined;
    return [
      {
        ...actOf(act),
        ...(room === undefined ? {} : { channel: { id: room.id, name: room.name } }),
        user: { id, firstName, displayName: name, address: null },
        at: new Date(act.at),
      },
    ];
  });

function actOf(act: PastAct): RecordedAct {
  switch (act.type) {
    case 'channel_leave':
      return { type: act.type, details: { durationMs: act.durationMs } };
    case 'channel_talk':
      return { type: act.type, details: { durationMs: act.durationMs, end: 'released' } };
    case 'message':
      return { type: act.picture === null ? 'message_send' : 'image_send' };
    default:
      return { type: act.type };
  }
}
