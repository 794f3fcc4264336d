import { getDashboard } from '@pressel/contract/dashboard';
import type { ServeCall } from '#src/http/call-server.ts';
import type { DashboardService } from './dashboard.service.ts';

export function dashboardRoutes(serve: ServeCall, { dashboard }: { dashboard: DashboardService }): void {
  serve(getDashboard, async ({ timeZone }, { session }) => ({
    success: true as const,
    res: await dashboard.read(session, timeZone),
  }));
}
