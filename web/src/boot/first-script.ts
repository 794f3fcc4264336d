/** A window that may lack what the code asks for. */
interface AnyWindow extends Pick<Window, 'document' | 'localStorage' | 'navigator'> {
  AbortSignal: Partial<typeof AbortSignal>;
  URL: Partial<typeof URL>;
  Intl: Partial<typeof Intl>;
}

/**
 * Runs in the page itself (vite/page-scripts.ts), before anything is painted. Sets the chosen colours, and shows a
 * plain page to browsers that lack what the app needs (APP12). Those browsers must be able to parse it: syntax of 2009,
 * no "less than", nothing from outside. The app uses every feature that it checks; first-script.test.ts says which
 * versions have all of them.
 */
export function firstScript(window: AnyWindow, languages: readonly string[]): void {
  function kept(name: string): string {
    try {
      // Preferences are kept as JSON.
      return (window.localStorage.getItem(name) || '').replace(/"/g, '');
    } catch (_forbidden) {
      return '';
    }
  }
  function knowsEnough(): boolean {
    try {
      return !!(window.AbortSignal.any && window.URL.canParse && window.Intl.Segmenter);
    } catch (_unknown) {
      return false;
    }
  }
  /** That page offers no choice of language: without an earlier choice it uses the browser's. */
  function languageFor(chosen: string, own: string): string {
    if (languages.indexOf(chosen) !== -1) return chosen;
    return languages.indexOf(own) !== -1 ? own : String(languages[0]);
  }
  function tell(page: HTMLElement, language: string): void {
    page.lang = language;
    page.setAttribute('data-old-browser', language);
  }
  if (/^(?:light|dark)$/.test(kept('colorScheme'))) {
    window.document.documentElement.setAttribute('data-mantine-color-scheme', kept('colorScheme'));
  }
  if (knowsEnough()) return;
  tell(window.document.documentElement, languageFor(kept('language'), String(window.navigator.language).slice(0, 2)));
}
