import {
  deleteOldActivities,
  exportActivities,
  getAllActivities,
  getLastActivities,
} from '@pressel/contract/activities';
import type { ServeCall } from '#src/http/call-server.ts';
import type { ActivitiesService } from './activities.service.ts';

export function activityRoutes(serve: ServeCall, { log }: { log: ActivitiesService }): void {
  serve(getLastActivities, async (body) => ({ success: true as const, res: await log.last(body) }));

  serve(getAllActivities, async (body) => ({ success: true as const, res: await log.page(body) }));

  serve(deleteOldActivities, async (body, { session }) => ({
    success: true as const,
    deleted: await log.deleteOld(session, body),
  }));

  serve(exportActivities, (body, { session }) => log.export(session, body));
}
