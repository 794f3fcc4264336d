import { and, eq, exists, sql as expression, type Placeholder, type SQL } from 'drizzle-orm';
import { mayReadAnyChannel } from '#src/accounts/policies.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db, Sql, Tx } from '#src/db/connect.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { sessions, users } from '#src/db/schema/users.ts';
import { AppError } from '#src/shared/app-error.ts';

/** The error that says why somebody may not read a channel. */
export async function refusal(sql: Sql, channelId: string, session: Session): Promise<AppError> {
  if (!(await sessionExists(sql, session.id))) return new AppError('unauthenticated');
  if (!(await channelExists(sql, channelId))) return new AppError('not_found', { what: 'channel' });
  return new AppError('not_a_member');
}

/** The channel, if the caller may read it. @throws AppError not_found, not_a_member, unauthenticated */
export async function requireChannelAccess(sql: Db | Tx, channelId: string, session: Session): Promise<ChannelAccess> {
  const found = await findAccess(sql, channelId, session, !mayReadAnyChannel(session));
  if (found === null) throw await refusal(sql, channelId, session);
  return found;
}

/** The same, kept until the transaction ends. */
export async function lockChannelAccessForShare(tx: Tx, channelId: string, session: Session): Promise<ChannelAccess> {
  const found = await lockAccess(tx, channelId, session, !mayReadAnyChannel(session));
  if (found === null) throw await refusal(tx, channelId, session);
  return found;
}

/** The session that asks: its values, or their placeholders in a prepared statement. */
type AskingSession = Readonly<Record<'id' | 'userId' | 'role', string | Placeholder>>;
type ChannelKey = string | Placeholder;

/** A channel that somebody may read and write in. */
export interface ChannelAccess {
  id: string;
  name: string;
}

const given = expression.placeholder;
const accessColumns = { id: channels.id, name: channels.name };

/** Whether the session exists, and its user is an administrator or not as when the session was recognised. */
const stillSignedIn = (sql: Sql, { id, userId, role }: AskingSession) =>
  exists(
    sql
      .select({ one: expression`1` })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(
        and(eq(sessions.id, id), eq(users.id, userId), expression`(${users.role} = 'admin') = (${role} = 'admin')`),
      ),
  );

const ofMember = (sql: Sql, channelId: ChannelKey, session: AskingSession) =>
  sql
    .select(accessColumns)
    .from(channels)
    .innerJoin(
      channelMembers,
      and(eq(channelMembers.channelId, channels.id), eq(channelMembers.userId, session.userId)),
    )
    .where(and(eq(channels.id, channelId), stillSignedIn(sql, session)));

const ofAnyone = (sql: Sql, channelId: ChannelKey, session: AskingSession) =>
  sql
    .select(accessColumns)
    .from(channels)
    .where(and(eq(channels.id, channelId), stillSignedIn(sql, session)));

/** The channel, if the session's user may read it now. Null if there is no such channel, membership or session. */
const findAccess = async (
  sql: Sql,
  channelId: string,
  session: Session,
  isMembershipNeeded: boolean,
): Promise<ChannelAccess | null> => {
  const [row] = await (isMembershipNeeded ? ofMember : ofAnyone)(sql, channelId, session);
  return row ?? null;
};

/**
 * The same, kept until the transaction ends: neither channel nor membership can be deleted. It locks the channel first, as its
 * deletion does; in the other order both would wait for each other.
 */
const lockAccess = async (
  tx: Tx,
  channelId: string,
  session: Session,
  isMembershipNeeded: boolean,
): Promise<ChannelAccess | null> => {
  const [row] = await locked(tx, channelId, session, isMembershipNeeded);
  return row ?? null;
};

const locked = (sql: Sql, channelId: ChannelKey, session: AskingSession, isMembershipNeeded: boolean) =>
  isMembershipNeeded
    ? ofMember(sql, channelId, session).for('key share', { of: [channels, channelMembers] })
    : ofAnyone(sql, channelId, session).for('key share', { of: channels });

/** The same as a query within a prepared statement, which does nothing when there is no access. */
export const lockingAccess = (sql: Sql, isMembershipNeeded: boolean): SQL => {
  const session = { id: given('sessionId'), userId: given('userId'), role: given('role') };
  return locked(sql, given('channelId'), session, isMembershipNeeded).getSQL();
};

/** The values of its placeholders. */
export const accessValues = (channelId: string, { id, userId, role }: Session) => ({
  channelId,
  sessionId: id,
  userId,
  role,
});

export const channelExists = async (sql: Sql, channelId: string): Promise<boolean> =>
  (await sql.$count(channels, eq(channels.id, channelId))) > 0;

const sessionExists = async (sql: Sql, sessionId: string): Promise<boolean> =>
  (await sql.$count(sessions, eq(sessions.id, sessionId))) > 0;
