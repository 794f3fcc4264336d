import { expect, test } from 'vitest';
import { LANGUAGES } from '#src/shared/languages.ts';
import { browserData } from '#test/browser-data.ts';
import { isKnown, OLDEST_BROWSERS, type SupportedBrowser } from '../../vite/oldest-browsers.ts';
import { firstScript } from './first-script.ts';

/** Runs it in a browser. @returns the page's own element */
function openIn(lacking: string[] = [], kept: Record<string, string> = {}, language = 'es-ES') {
  const document = window.document.implementation.createHTMLDocument();
  const browser = {
    document,
    AbortSignal: { any: () => undefined },
    URL: { canParse: () => true },
    Intl,
    navigator: { language },
    localStorage: { getItem: (name: string) => kept[name] ?? null },
  };
  const without = Object.fromEntries(Object.entries(browser).filter(([name]) => !lacking.includes(name)));
  firstScript(without as unknown as Parameters<typeof firstScript>[0], LANGUAGES);
  return document.documentElement;
}

test('[APP12] a browser that has all that is asked for is told nothing', () => {
  expect(openIn().getAttributeNames()).toEqual([]);
});

test.each(['AbortSignal', 'URL', 'Intl'])('[APP12] a browser without a part of %s gets the plain page', (name) => {
  expect(openIn([name]).dataset.oldBrowser).toBe('fr');
});

test('[APP12] the plain page speaks the language that was chosen, else that of the browser, else French', () => {
  expect(openIn(['URL'], { language: '"de"' }, 'en-GB').dataset.oldBrowser).toBe('de');
  expect(openIn(['URL'], {}, 'en-GB').dataset.oldBrowser).toBe('en');
  expect(openIn(['URL', 'localStorage'], {}, 'en-GB').lang).toBe('en');
  expect(openIn(['URL'], { language: '"eo"' }).lang).toBe('fr');
});

test('the colours that were chosen are there before the first picture', () => {
  expect(openIn([], { colorScheme: '"dark"' }).dataset.mantineColorScheme).toBe('dark');
  expect(openIn([], { colorScheme: '"auto"' }).dataset.mantineColorScheme).toBeUndefined();
});

test('[APP12] no supported browser is taken for an old one, and all that are older but Firefox are', () => {
  const asked = [
    browserData.api.AbortSignal?.any_static?.__compat,
    browserData.api.URL?.canParse_static?.__compat,
    browserData.javascript.builtins?.Intl?.Segmenter?.__compat,
  ];
  const oldest = (browser: SupportedBrowser) => {
    const releases = Object.entries(browserData.browsers[browser].releases).toSorted(
      ([, a], [, b]) => a.index - b.index,
    );
    return releases
      .map(([version]) => version)
      .find((version) => asked.every((one) => one && isKnown(one, browser, version)));
  };
  const browsers = Object.keys(OLDEST_BROWSERS) as SupportedBrowser[];
  const found = Object.fromEntries(browsers.map((browser) => [browser, oldest(browser)]));
  // Pressel is tested with Firefox 140 and later. Slightly older versions are not known to lack anything.
  expect(found).toEqual({ ...OLDEST_BROWSERS, firefox: '125', firefox_android: '125' });
});
