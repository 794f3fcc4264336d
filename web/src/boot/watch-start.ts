/**
 * Runs in the page itself (vite/page-scripts.ts), before the first script. So it refers to nothing outside and has no
 * "less than". After an upgrade that script, or what it imports, may be gone if the page came from a cache. Then this
 * reloads once from the server, or else says so in the static frame. It also does so for start-again.ts, when a file
 * loaded later is gone [APP6].
 */
export function watchStart(window: Window): void {
  const { document } = window;
  const kept = (area: 'localStorage' | 'sessionStorage', name: string): string => {
    try {
      return window[area].getItem(name) ?? '';
    } catch {
      return '';
    }
  };
  /** False once the app has replaced the frame, because somebody may talk in it. An old browser starts nothing. */
  const isStarting = () =>
    document.querySelector('#frame') !== null && document.documentElement.dataset.oldBrowser === undefined;
  /** Two reloads within this time are a loop. */
  const onceMs = 300_000;
  const renew = async (): Promise<boolean> => {
    try {
      if (!(await window.fetch('/healthz', { cache: 'no-store' })).ok || !isStarting()) return false;
      if (onceMs > Date.now() - Number(kept('sessionStorage', 'renewedAt'))) return false;
      // Throws where nothing can be kept: a page that can't know of its reload must not reload.
      window.sessionStorage.setItem('renewedAt', String(Date.now()));
      for (const name of (await window.caches?.keys()) ?? []) await (await window.caches.open(name)).delete('/');
      window.location.reload();
      return true;
    } catch {
      return false;
    }
  };
  const say = (reload: () => void) => {
    const text = document.querySelector<HTMLTemplateElement>('#frame-words')?.content.textContent ?? '{}';
    const words = JSON.parse(text) as Record<string, Record<string, string>>;
    const chosen = kept('localStorage', 'language').replaceAll('"', '');
    const language = chosen in words ? chosen : 'fr';
    const place = document.querySelector('.frame-gone');
    const [p, button] = [place?.querySelector('p'), place?.querySelector('button')];
    const said = words[language];
    if (!(place && p && button && said)) return;
    document.documentElement.lang = language;
    document.documentElement.dataset.frameGone = '';
    place.prepend(Object.assign(document.createElement('h1'), { textContent: said.gone }));
    p.textContent = said.goneMore ?? '';
    button.textContent = said.reload ?? '';
    button.addEventListener('click', reload);
  };
  const onGone = async () => {
    if (await renew()) return;
    const sayHere = () => say(() => window.location.reload());
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', sayHere);
    else sayHere();
    // The server may be away, and come back.
    window.addEventListener('online', renew);
    window.setInterval(renew, 5_000);
  };
  // The first script lacks another file and says how to reload.
  window.addEventListener('startgone', (event) => say((event as CustomEvent<() => void>).detail));
  window.addEventListener(
    'error',
    ({ target }) => {
      // Extensions add scripts of their own to the page, which may fail.
      if ((target as Element | null)?.matches?.('script[type=module][src^="/"]') && isStarting()) void onGone();
    },
    true,
  );
}
