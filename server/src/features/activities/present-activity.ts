import { ACTIVITY_DETAILS, type activity } from '@pressel/contract/activities';
import { type LoggedType, loggedType } from '@pressel/contract/activity-types';
import type * as z from 'zod';
import type { LogRow } from './log.repository.ts';

type Shown = z.input<typeof activity>;

/** An entry as administrators see it. Leaves out what a newer version stored and this one doesn't know. */
export function presentActivities(rows: readonly LogRow[]): Shown[] {
  return rows.flatMap((row) => {
    const type = loggedType.safeParse(row.type).data;
    return type === undefined ? [] : [present(row, type)];
  });
}

const present = (row: LogRow, type: LoggedType): Shown =>
  ({
    id: row.id,
    type,
    createdAt: row.at.toISOString(),
    user: row.userId === null ? null : { id: row.userId, firstName: row.firstName, display_name: row.displayName },
    target: row.targetId === null ? null : { id: row.targetId, display_name: row.targetName ?? '' },
    channel: row.channelId === null ? null : { id: row.channelId, name: row.channelName ?? '' },
    address: row.address,
    details: ACTIVITY_DETAILS[type].safeParse(row.details).data ?? null,
    // The type determines the details, which TypeScript cannot follow through the lookup.
  }) as Shown;
