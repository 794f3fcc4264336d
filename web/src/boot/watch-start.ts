/**
 * Runs in the page itself (vite/page-scripts.ts), before the first script, and so refers to nothing outside and has no "less
 * than": that script, or what it imports, may be gone after an upgrade where the page came from a cache. Reloads once from
 * the server, or else says so in the static frame, also for start-again.ts, when something is gone that is loaded later [APP6].
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
  /** Nothing stands in place of the frame yet: somebody may talk in what does. An old browser starts nothing. */
  const isStarting = () =>
    document.querySelector('#frame') !== null && document.documentElement.dataset.oldBrowser === undefined;
  /** Once in so many ms: two reloads so near to each other are a loop. */
  const onceMs = 300_000;
  const renew = async (): Promise<boolean> => {
    try {
      if (!(await window.fetch('/healthz', { cache: 'no-store' })).ok || !isStarting()) return false;
      if (onceMs > Date.now() - Number(kept('sessionStorage', 'renewedAt'))) return false;
      // Where nothing can be kept it throws: a page that can't know of its reload doesn't.
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
  // The first script lacks something else: it says how to reload.
  window.addEventListener('startgone', (event) => say((event as CustomEvent<() => void>).detail));
  window.addEventListener(
    'error',
    ({ target }) => {
      // Extensions put scripts of their own into the page, which may fail.
      if ((target as Element | null)?.matches?.('script[type=module][src^="/"]') && isStarting()) void onGone();
    },
    true,
  );
}
