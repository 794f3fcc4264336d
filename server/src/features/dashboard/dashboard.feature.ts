import type { Feature, Platform } from '#src/platform/platform.ts';
import { dashboardRoutes } from './dashboard.routes.ts';
import { createDashboardService, type DashboardNeeds } from './dashboard.service.ts';

export function dashboardFeature({ db, serve, now }: Platform, needs: DashboardNeeds): Feature {
  dashboardRoutes(serve, { dashboard: createDashboardService({ db, now, ...needs }) });
  return { api: undefined };
}
