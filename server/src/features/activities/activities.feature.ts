import {
  deleteOldActivities,
  exportActivities,
  getAllActivities,
  getLastActivities,
} from '@pressel/contract/activities';
import { hearsOfLog } from '#src/accounts/policies.ts';
import type { ServeCall } from '#src/http/call-server.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { audience } from '#src/sockets/sockets.ts';
import { listOtherProcesses, recordActivities } from './activities.repository.ts';
import { type ActivitiesService, createActivitiesService } from './activities.service.ts';
import { createActivityNews } from './activity-news.ts';
import { createSettle, createTalkLog, type TalkLog } from './talk-log.ts';

function activityRoutes(serve: ServeCall, { log }: { log: ActivitiesService }): void {
  serve(getLastActivities, async (body) => ({ success: true as const, res: await log.last(body) }));

  serve(getAllActivities, async (body) => ({ success: true as const, res: await log.page(body) }));

  serve(deleteOldActivities, async (body, { session }) => ({
    success: true as const,
    deleted: await log.deleteOld(session, body),
  }));

  serve(exportActivities, (body, { session }) => log.export(session, body));
}

/** How often, in ms, the jobs count new entries, tell of them and look for old ones. */
const COUNT_MS = 5_000;
const NEWS_MS = 1_000;
const SWEEP_MS = 3_600_000;

export interface ActivitiesApi {
  talkLog: Pick<TalkLog, 'add' | 'put'>;
  /** Stores the talks that are over, whichever process ended them, so that they are found (PROC70). */
  settleTalks(): Promise<void>;
  lastActivities: ActivitiesService['last'];
}

export function activitiesFeature(
  { db, serve, sockets, sessions, limit, schedule, record, metrics, shared, processId, now, log }: Platform,
  { retentionDays }: { retentionDays: number | null },
): Feature<ActivitiesApi> {
  const talkLog = createTalkLog((entries) => recordActivities(db, entries), log);
  metrics.queue('talk_log', talkLog.waiting);
  const { flush } = talkLog;
  const listOthers = () => listOtherProcesses(db, processId);
  const settle =
    shared === null
      ? { everywhere: flush, soon: flush }
      : createSettle({ processId, flush, listOthers, relay: shared.relay });
  const activities = createActivitiesService({
    ...{ db, record, retentionDays, now, settle: settle.everywhere },
    exports: limit('activities.exports'),
    isStill: sessions.isStill,
    tellDeleted: (before) => sockets.to(audience.admins).emit('activities_deleted', { before: before.toISOString() }),
    sweepSoon: () => sweep.soon(),
  });
  const sweep = schedule.every(SWEEP_MS, 'activity_sweep', activities.sweep, { by: 'one' });
  const news = createActivityNews({ db, sockets });
  sockets.onConnect(({ data }) => {
    if (hearsOfLog(data.session))
      void news.begin().catch((error: unknown) => log.error({ err: error }, 'activity_news_failed'));
  });
  activityRoutes(serve, { log: activities });
  return {
    api: { talkLog, settleTalks: settle.soon, lastActivities: activities.last },
    async start() {
      // A crash may leave entries that are deleted while their rows are still there.
      sweep.soon();
      schedule.every(COUNT_MS, 'activity_count', activities.count, { by: 'one' });
      schedule.every(NEWS_MS, 'activity_news', news.tell, { by: 'each' });
    },
    close: talkLog.close,
  };
}
