import type { Renewal } from '#src/shared/renewal.ts';

export const RETRY_MS = 5_000;

export interface StartAgainDeps {
  renewal: Pick<Renewal, 'renew' | 'reload'>;
  /** Whether a reload shows the same page. False where only this page has the token of its link. */
  mayReload: boolean;
  /** Says in the static frame that the page could not be loaded, with a button. */
  say: (reload: () => void) => void;
  window: Pick<Window, 'addEventListener' | 'setInterval'>;
}

/**
 * Called when neither device nor server has a file that the start needs. Reloads, or else says so and waits for the
 * server [APP6].
 */
export async function startAgain({ renewal, mayReload, say, window }: StartAgainDeps): Promise<void> {
  const renew = () => renewal.renew().catch(() => false);
  if (mayReload && (await renew())) return;
  say(() => void renewal.reload());
  if (!mayReload) return;
  const retry = () => void renew();
  window.addEventListener('online', retry);
  window.setInterval(retry, RETRY_MS);
}
