import type { Feature, Platform } from '#src/platform/platform.ts';
import { audience } from '#src/sockets/sockets.ts';
import { createImportRuns } from './import-runs.ts';
import { transferRoutes } from './transfer.routes.ts';
import { createTransferService } from './transfer.service.ts';

export function transferFeature(platform: Platform, { passwordMinLength }: { passwordMinLength: number }): Feature {
  const { db, change, record, passwords, metrics, now, steadyNow, serve, sockets, processId, log } = platform;
  const runs = createImportRuns({
    ...{ db, processId, now, steadyNow, log },
    tellProgress: (owner, news) => sockets.to(audience.user(owner)).emit('import_progress', news),
  });
  metrics.queue('imports', runs.running);
  transferRoutes(serve, {
    transfer: createTransferService({ db, change, record, passwords, passwordMinLength, runs, now }),
  });
  return {
    api: undefined,
    async start() {
      if (platform.shared === null) await runs.failLeftovers();
    },
    close: runs.close,
  };
}
