import { Marked } from 'marked';

export interface Heading {
  level: number;
  text: string;
  id: string;
}

const marked = new Marked({
  tokenizer: {
    // An address is a link only where somebody made one of it.
    url: () => undefined,
  },
  walkTokens(token) {
    if (token.type === 'text') token.text = token.text.replaceAll('\n', ' ');
  },
  renderer: {
    code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`.html,
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
    },
    // Tags are text: the page has no HTML but its own.
    html: ({ text, block }) => (block ? html`<p>${text.trim()}</p>` : html`${text}`).html,
    link({ href, tokens }) {
      return html`<a href="${href}">${{ html: this.parser.parseInline(tokens) }}</a>`.html;
    },
  },
});

/** Renders Markdown, and tells its headings with their places. */
export function renderMarkdown(source: string): { body: Html; headings: Heading[] } {
  const headings = marked
    .lexer(source)
    .flatMap((token) =>
      token.type === 'heading' ? [{ level: token.depth, text: token.text, id: anchor(token.text) }] : [],
    );
  const body = marked.parse(source, { async: false });
  // Line ends between tags; those of code stay.
  return { body: { html: body.replaceAll('>\n', '>') }, headings };
}

/** Markup within a line. */
export const inline = (text: string): Html => ({ html: marked.parseInline(text, { async: false }) });

/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/gu, (sign) => ESCAPES[sign] ?? sign);

type Part = Html | string | number | readonly Part[];

const rendered = (part: Part): string => {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'html' in part ? part.html : part.map(rendered).join('');
};

/** A template of HTML: what is put in is escaped, unless it is HTML itself. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.reduce((text, string, index) => text + rendered(parts[index - 1] ?? '') + string),
});

export const NOTHING: Html = { html: '' };

/** A place on the page, made of a text: lower case, with hyphens. */
export const anchor = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/gu, '');
