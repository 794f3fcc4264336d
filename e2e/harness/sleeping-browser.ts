import { type Browser, chromium } from '@playwright/test';
import { launchOptions } from './browser.ts';

/** A browser on a machine that can be put to sleep: none of its processes runs until it wakes. */
export interface SleepingBrowser {
  browser: Browser;
  sleep(): void;
  wake(): void;
  close(): Promise<void>;
}

export async function openSleepingBrowser(): Promise<SleepingBrowser> {
  const server = await chromium.launchServer(launchOptions);
  const { pid } = server.process();
  if (pid === undefined) throw new Error('Chromium has no process');
  // All its processes belong to one group.
  const tell = (signal: NodeJS.Signals) => process.kill(-pid, signal);
  return {
    browser: await chromium.connect(server.wsEndpoint()),
    sleep: () => tell('SIGSTOP'),
    wake: () => tell('SIGCONT'),
    async close() {
      tell('SIGCONT');
      await server.close();
    },
  };
}
