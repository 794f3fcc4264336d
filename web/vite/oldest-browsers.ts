import type { CompatStatement, SimpleSupportStatement } from '@mdn/browser-compat-data/types';

/**
 * The oldest browsers that Pressel supports, by the names of MDN's compatibility data. The README states them. The build, the
 * check of the code (known-browsers.ts, test/oldest-dom.ts) and the page for older browsers (src/boot/first-script.ts) follow this table.
 */
export const OLDEST_BROWSERS = {
  chrome: '120',
  chrome_android: '120',
  webview_android: '120',
  edge: '120',
  firefox: '140',
  firefox_android: '140',
  safari: '17.4',
  safari_ios: '17.4',
} as const;

export type SupportedBrowser = keyof typeof OLDEST_BROWSERS;

/** The same as targets of Vite, which rewrites newer syntax of scripts and styles for them. */
export const BUILD_TARGETS = [
  `chrome${OLDEST_BROWSERS.chrome}`,
  `edge${OLDEST_BROWSERS.edge}`,
  `firefox${OLDEST_BROWSERS.firefox}`,
  `safari${OLDEST_BROWSERS.safari}`,
  `ios${OLDEST_BROWSERS.safari_ios}`,
];

/**
 * Whether a version of a browser has something, without a flag and by its own name.
 * @param isPrefixed whether the code also uses the name with this prefix, for browsers that know that one
 */
export function isKnown(
  { support }: CompatStatement,
  browser: SupportedBrowser,
  version: string,
  isPrefixed: (prefix: string) => boolean = () => false,
): boolean {
  const statements: SimpleSupportStatement[] = [support[browser] ?? []].flat();
  return statements.some(
    ({ version_added: added, version_removed: removed, flags, alternative_name: alternative, prefix }) =>
      [flags, alternative].every((one) => one === undefined) &&
      (prefix === undefined || isPrefixed(prefix)) &&
      // Otherwise the value is 'preview', or false.
      /\d/u.test(String(added)) &&
      !isOlder(version, String(added)) &&
      (removed === undefined || isOlder(version, removed)),
  );
}

/** Whether version `a` came before version `b`. MDN writes "≤37" if it doesn't know the exact version. */
function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.replace('≤', '').split('.').map(Number)) as [
    number[],
    number[],
  ];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** The supported browsers whose oldest version lacks something. */
export const lackedBy = (statement: CompatStatement, isPrefixed?: (prefix: string) => boolean): SupportedBrowser[] =>
  (Object.keys(OLDEST_BROWSERS) as SupportedBrowser[]).filter(
    (browser) => !isKnown(statement, browser, OLDEST_BROWSERS[browser], isPrefixed),
  );
