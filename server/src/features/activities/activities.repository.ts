import { auditType } from '@pressel/contract/activity-types';
import { sql as expression, ne } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { activities } from '#src/db/schema/activities.ts';
import { servers } from '#src/db/schema/presence.ts';
import type { RecordActs, RecordWithin } from '#src/history/change.ts';
import { uuidV7 } from '#src/shared/ids.ts';

const given = expression.placeholder;
const AUDIT_TYPES: ReadonlySet<string> = new Set(auditType.options);

/** Stores entries. Pass the transaction of the logged changes, so that both are stored or neither. */
export const recordActivities: RecordActs = async (sql, entries) => {
  if (entries.length === 0) return;
  const rows = entries.map(({ type, channel, target, details, at, id, ...by }) => ({
    // The ids keep the order of the acts: of acts of one moment, the first is the oldest.
    id: id ?? uuidV7(at.getTime()),
    type,
    is_audit: AUDIT_TYPES.has(type),
    user_id: by.user?.id ?? null,
    user_first_name: by.user?.firstName ?? '',
    user_display_name: by.user?.displayName ?? '',
    target_id: target?.id ?? null,
    target_name: target?.name ?? null,
    channel_id: channel?.id ?? null,
    channel_name: channel?.name ?? null,
    address: by.user === null ? by.address : by.user.address,
    details: details ?? null,
    created_at: at.toISOString(),
  }));
  await insert(sql, { rows: JSON.stringify(rows) });
};

const COLUMNS = expression.raw(
  'id, type, is_audit, user_id, user_first_name, user_display_name, target_id, target_name, channel_id, channel_name, address, details, created_at',
);

/** Takes all rows as one parameter: there may be thousands, and the statement's text is the same for any number. */
const insert = prepared(
  () => expression`
    insert into ${activities} (${COLUMNS})
    select ${COLUMNS} from jsonb_to_recordset(${given('rows')}::jsonb) as entry (id uuid, type text, is_audit boolean,
      user_id uuid, user_first_name text, user_display_name text, target_id uuid, target_name text, channel_id uuid,
      channel_name text, address text, details jsonb, created_at timestamptz)
    on conflict (id) do nothing`,
);

/** Stores an entry as part of another statement, so that both are stored or neither. */
export const recordWithin: RecordWithin = {
  insert: (from) => expression`
    insert into ${activities}
      (id, type, is_audit, user_id, user_first_name, user_display_name, channel_id, channel_name, address, created_at)
    select ${given('actId')}::uuid, ${given('actType')}, ${given('actIsAudit')}, ${given('actBy')}::uuid,
      ${given('actFirstName')}, ${given('actDisplayName')}, id, name, ${given('actAddress')}, ${given('actAt')}::timestamptz
    from ${from}`,
  values: ({ type, user, at }) => ({
    actId: uuidV7(at.getTime()),
    actType: type,
    actIsAudit: AUDIT_TYPES.has(type),
    actBy: user.id,
    actFirstName: user.firstName,
    actDisplayName: user.displayName,
    actAddress: user.address,
    actAt: at.toISOString(),
  }),
};

/** The ids of all other processes. A process that died is among them until its lease is over. */
export const listOtherProcesses = async (sql: Sql, processId: string): Promise<string[]> =>
  (await sql.select({ id: servers.id }).from(servers).where(ne(servers.id, processId))).map(({ id }) => id);
