import { type Activity, activity, getAllActivities } from '@pressel/contract/activities';
import type { z } from '@pressel/contract/zod';
import type { ApiDouble } from './api-double.ts';
import { sampleId } from './samples.ts';

/** An entry of a log with one entry an hour; number 1 is the oldest. */
export const activityOf = (n: number, part: Partial<Record<keyof Activity, unknown>> = {}): Activity =>
  activity().parse({
    id: sampleId(10_000 + n),
    type: 'message_send',
    createdAt: new Date(Date.UTC(2026, 10, 1) + n * 3_600_000).toISOString(),
    user: { id: sampleId(1), firstName: 'Camille', display_name: 'Camille' },
    target: null,
    channel: { id: sampleId(101), name: `Canal ${n}` },
    address: null,
    details: null,
    ...part,
  });

/** A log as the server pages it: `entries` has the newest first, and may be changed by the test. */
export function serveLog(api: ApiDouble, entries: Activity[]): void {
  api.on(getAllActivities, ({ start, limit, cursor, to, types }: z.output<typeof getAllActivities.body>) => {
    const found = entries.filter(
      (one) => (to === undefined || one.createdAt < to) && (types === undefined || types.includes(one.type)),
    );
    const above = cursor === undefined ? 0 : found.findIndex(({ id }) => id === cursor);
    const list = found.slice(Math.max(0, above));
    return {
      success: true,
      res: {
        activities: list.slice(start, start + limit),
        totalRecords: list.length,
        newer: Math.max(0, above),
        top: list[0]?.id ?? null,
        older: null,
      },
    };
  });
}
