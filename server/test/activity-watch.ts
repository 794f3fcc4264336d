import { type Activity, getAllActivities } from '@pressel/contract/activities';
import type { TestApp } from './build-test-app.ts';
import type { Team } from './factories.ts';

/** Returns what some work adds to the activity log, as administrators see it. */
export function watchActivities(t: TestApp, { admin }: Pick<Team, 'admin'>) {
  const log = async (): Promise<Activity[]> =>
    (await t.call(getAllActivities, { scope: 'all', limit: 200 }, admin.token)).body.res.activities;
  /** Returns the entries that the work adds to the log, oldest first. */
  const added = async (work: () => Promise<unknown>): Promise<Activity[]> => {
    const known = new Set((await log()).map(({ id }) => id));
    await work();
    return (await log()).filter(({ id }) => !known.has(id)).toReversed();
  };
  return { log, added, brieflyAdded: async (work: () => Promise<unknown>) => (await added(work)).map(brief) };
}

export type ActivityWatch = ReturnType<typeof watchActivities>;

/** An entry without ids, address and moment. */
export const brief = ({ type, user, target, channel, details }: Activity) => ({
  type,
  by: user?.display_name ?? null,
  ...(target === null ? {} : { target: target.display_name }),
  ...(channel === null ? {} : { channel: channel.name }),
  ...(details === null ? {} : { details }),
});
