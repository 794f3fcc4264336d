import { mayReadAnyChannel } from '#src/accounts/policies.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db, Sql, Tx } from '#src/db/connect.ts';
import { AppError } from '#src/shared/app-error.ts';
import * as repository from './channel-access.repository.ts';

export type { ChannelAccess } from './channel-access.repository.ts';

/** The error that says why somebody may not read a channel. */
export async function refusal(sql: Sql, channelId: string, session: Session): Promise<AppError> {
  if (!(await repository.sessionExists(sql, session.id))) return new AppError('unauthenticated');
  if (!(await repository.channelExists(sql, channelId))) return new AppError('not_found', { what: 'channel' });
  return new AppError('not_a_member');
}

/** The channel, if the caller may read it. @throws AppError not_found, not_a_member, unauthenticated */
export async function requireChannelAccess(
  sql: Db | Tx,
  channelId: string,
  session: Session,
): Promise<repository.ChannelAccess> {
  const found = await repository.findAccess(sql, channelId, session, !mayReadAnyChannel(session));
  if (found === null) throw await refusal(sql, channelId, session);
  return found;
}

/** The same, kept until the transaction ends. */
export async function lockChannelAccessForShare(
  tx: Tx,
  channelId: string,
  session: Session,
): Promise<repository.ChannelAccess> {
  const found = await repository.lockAccess(tx, channelId, session, !mayReadAnyChannel(session));
  if (found === null) throw await refusal(tx, channelId, session);
  return found;
}
