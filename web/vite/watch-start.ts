import type { Plugin } from 'vite';
import { watchStart as watch } from '../src/boot/watch-start.ts';

/** Puts watch-start.ts into the page itself, where nothing can be gone; the policy allows it by its hash. */
export const watchStart: Plugin = {
  name: 'watch-start',
  transformIndexHtml(html) {
    const text = `(${watch})(window)`.replaceAll(/\s*\n\s*/gu, '\n');
    // The server looks for scripts in the page by what stands between their tags (shared/web-app.ts).
    if (text.includes('<')) throw new Error('A script in the page must not have a "<"');
    const styles = '<style>';
    if (!html.includes(styles)) throw new Error('No place for the script in the page');
    return html.replace(styles, () => `<script>${text}</script>\n    ${styles}`);
  },
};
