import { getDashboard } from '@pressel/contract/dashboard';
import type { ServeCall } from '#src/http/call-server.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { createDashboardService, type DashboardNeeds, type DashboardService } from './dashboard.service.ts';

function dashboardRoutes(serve: ServeCall, { dashboard }: { dashboard: DashboardService }): void {
  serve(getDashboard, async ({ timeZone }, { session }) => ({
    success: true as const,
    res: await dashboard.read(session, timeZone),
  }));
}

export function dashboardFeature({ db, serve, now }: Platform, needs: DashboardNeeds): Feature {
  dashboardRoutes(serve, { dashboard: createDashboardService({ db, now, ...needs }) });
  return { api: undefined };
}
