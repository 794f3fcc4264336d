import { anchor, type Html, html } from './html.ts';

export interface Heading {
  level: number;
  text: string;
  id: string;
}

/**
 * Renders the part of Markdown in which docs/api.md is written: headings, paragraphs, lists of one level, tables, fenced
 * code, and within a line `code`, **strong** and [links](to). Nothing else: markup that it doesn't know stays as text.
 */
export function renderMarkdown(source: string): { body: Html; headings: Heading[] } {
  const headings: Heading[] = [];
  const blocks = blocksOf(source.trim().split('\n'));
  const body = blocks.map((lines): Html => {
    const [first = ''] = lines;
    if (first.startsWith('```')) return html`<pre tabindex="0"><code>${lines.slice(1).join('\n')}</code></pre>`;
    const heading = /^(#{1,4}) (.+)$/u.exec(first);
    if (heading !== null) {
      const [, marks = '', text = ''] = heading;
      const id = anchor(text);
      headings.push({ level: marks.length, text, id });
      return { html: `<h${marks.length} id="${id}">${inline(text).html}</h${marks.length}>` };
    }
    if (first.startsWith('|')) return table(lines);
    if (/^- /u.test(first)) return html`<ul>${items(lines, /^- /u)}</ul>`;
    if (/^\d+\. /u.test(first)) return html`<ol>${items(lines, /^\d+\. /u)}</ol>`;
    return html`<p>${inline(lines.join(' '))}</p>`;
  });
  return { body: html`${body}`, headings };
}

/** Splits lines into blocks: fenced code with all that is in it, headings alone, all else up to an empty line. */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [];
  let block: string[] = [];
  let isCode = false;
  const end = () => {
    if (block.length > 0) blocks.push(block);
    block = [];
  };
  for (const line of lines) {
    const isFence = line.startsWith('```');
    if (isFence && isCode) {
      isCode = false;
      end();
    } else if (isCode) block.push(line);
    else if (line.trim() === '') end();
    else {
      if (isFence || line.startsWith('#')) end();
      isCode = isFence;
      block.push(line);
      if (line.startsWith('#')) end();
    }
  }
  end();
  return blocks;
}

/** A line without the mark of an item goes on with the item before it. */
function items(lines: readonly string[], mark: RegExp): Html[] {
  const texts: string[] = [];
  for (const line of lines) {
    if (mark.test(line)) texts.push(line.replace(mark, ''));
    else texts.push(`${texts.pop() ?? ''} ${line.trim()}`);
  }
  return texts.map((text) => html`<li>${inline(text)}</li>`);
}

function table(lines: readonly string[]): Html {
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => inline(cell.trim())),
  );
  return html`<table><thead><tr>${head.map((cell) => html`<th>${cell}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
}

const INLINE = /`(?<code>[^`]+)`|\*\*(?<strong>[^*]+)\*\*|\[(?<label>[^\]]+)\]\((?<to>[^)\s]+)\)/gu;

/** Markup within a line. */
export function inline(text: string): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const { code, strong, label = '', to = '' } = match.groups ?? {};
    parts.push(html`${text.slice(end, match.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`);
    else parts.push(html`<a href="${to}">${label}</a>`);
    end = match.index + match[0].length;
  }
  return html`${parts}${text.slice(end)}`;
}
