import { createListeners } from './listeners.ts';
import type { SnapshotSource } from './use-snapshot.ts';

/** Chromium's, not in TypeScript's library: https://wicg.github.io/manifest-incubations/#beforeinstallpromptevent-interface */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>;
}

/** Whether the browser offers to install the app now. */
export interface Installing extends SnapshotSource<boolean> {
  /** Makes the browser ask the user. It offers once. */
  install(): void;
}

/** The browser may make its offer at any time, even before the first screen. */
export function createInstalling(page: Pick<Window, 'addEventListener'>): Installing {
  const listeners = createListeners();
  let offer: InstallOffer | undefined;
  const set = (next: InstallOffer | undefined) => {
    offer = next;
    listeners.notify();
  };
  page.addEventListener('beforeinstallprompt', (event) => {
    // Otherwise the browser shows a bar of its own on phones, over the talk button.
    event.preventDefault();
    set(event as InstallOffer);
  });
  page.addEventListener('appinstalled', () => set(undefined));
  return {
    getSnapshot: () => offer !== undefined,
    subscribe: listeners.add,
    install() {
      const taken = offer;
      set(undefined);
      taken?.prompt().catch(() => undefined);
    },
  };
}
