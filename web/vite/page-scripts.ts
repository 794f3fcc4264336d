import type { Plugin } from 'vite';
import { firstScript } from '../src/boot/first-script.ts';
import { watchStart } from '../src/boot/watch-start.ts';
import { LANGUAGES } from '../src/shared/languages.ts';

/** Separate scripts: a browser that can't parse one of them runs the other. */
const SCRIPTS = [`(${firstScript})(window, ${JSON.stringify(LANGUAGES)})`, `(${watchStart})(window)`];
/** Syntax that browsers of 2009 can't parse. */
const NEWER = /=>|`|\.\.\.|\?[.?]|\b(?:const|let|class|async|await)\b/u;

/** Puts two scripts into the page itself, where they can't be missing; the policy allows them by their hashes. */
export const pageScripts: Plugin = {
  name: 'page-scripts',
  transformIndexHtml(html) {
    const texts = SCRIPTS.map((text) => text.replaceAll(/\s*\n\s*/gu, '\n'));
    // The server finds scripts in the page by the text between their tags (http/web-app.ts).
    if (texts.some((text) => text.includes('<'))) throw new Error('A script in the page must not have a "<"');
    if (NEWER.test(texts[0] ?? '')) throw new Error('Old browsers must be able to parse the first script');
    const styles = '<style>';
    if (!html.includes(styles)) throw new Error('No place for the scripts in the page');
    const scripts = texts.map((text) => `<script>${text}</script>\n    `).join('');
    return html.replace(styles, () => scripts + styles);
  },
};
