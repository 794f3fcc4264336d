import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The part of a bundled file that is used here. */
interface BundledFile {
  fileName: string;
  moduleIds?: string[];
  imports?: string[];
  viteMetadata?: { importedCss: Set<string> };
}

const MAIN = /[\\/]src[\\/]main\.tsx$/u;
/** The part of the font that every language of ours needs. */
export const FONT = /inter-latin-wght-normal-.*\.woff2$/u;

/** The file names by the names that code uses. */
function namesIn(html: string): Record<string, string> {
  const [, map = '{}'] = /<script type="importmap">(.*?)<\/script>/su.exec(html) ?? [];
  return (JSON.parse(map) as { imports?: Record<string, string> }).imports ?? {};
}

/** Returns a chunk with everything that it imports, and their styles in order. */
function filesOf(first: BundledFile, find: (name: string) => BundledFile | undefined) {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const add = (file: BundledFile | undefined): void => {
    if (file === undefined || scripts.has(file.fileName)) return;
    scripts.add(file.fileName);
    for (const name of file.imports ?? []) add(find(name));
    for (const style of file.viteMetadata?.importedCss ?? []) styles.add(style);
  };
  add(first);
  return { scripts, styles };
}

const TOKENS = join(import.meta.dirname, '../src/shared/ui/tokens.css');
const COLOUR = /(--[a-z-]+): (#[0-9a-f]{6});/gu;

/** @throws Error when the static frame has a colour that the app hasn't */
function requireSameColours(html: string): void {
  const known = new Set([...readFileSync(TOKENS, 'utf8').matchAll(COLOUR)].map(([rule]) => rule));
  for (const [rule] of html.matchAll(COLOUR)) {
    if (!known.has(rule)) throw new Error(`index.html says ${rule}, tokens.css does not`);
  }
}

/**
 * Makes index.html request at once what boot.ts would request next: the app's own code and styles, and the font. The
 * page waits with its first paint for boot.ts, which knows the chosen colours.
 */
export const openQuickly: Plugin = {
  name: 'open-quickly',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      if (bundle === undefined) return html;
      requireSameColours(html);
      const files = Object.values(bundle) as unknown as BundledFile[];
      const names = namesIn(html);
      const find = (name: string) => {
        const fileName = names[`/${name}`]?.slice(1) ?? name;
        return files.find((file) => file.fileName === fileName);
      };
      const main = files.find(({ moduleIds }) => moduleIds?.some((id) => MAIN.test(id)));
      const font = files.find(({ fileName }) => FONT.test(fileName));
      if (main === undefined || font === undefined) throw new Error('No main.tsx or no font to preload');
      const { scripts, styles } = filesOf(main, find);
      const links = [
        ...[...styles].map((file) => `<link rel="preload" as="style" crossorigin href="/${file}">`),
        ...[...scripts]
          .filter((file) => !html.includes(`"/${file}">`))
          .map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
        `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font.fileName}">`,
      ];
      return html
        .replace('<script type="module"', '<script type="module" blocking="render"')
        .replace('</head>', `  ${links.join('\n    ')}\n  </head>`);
    },
  },
};
