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
