import { expect, test } from 'vitest';
import { renderMarkdown } from './html.ts';

const rendered = (source: string) => renderMarkdown(source).body.html;

test.each([
  ['one\ntwo', '<p>one two</p>'],
  ['- a\n- b\n  goes on', '<ul><li>a</li><li>b goes on</li></ul>'],
  ['1. a\n2. b', '<ol><li>a</li><li>b</li></ol>'],
  [
    '| h |\n|---|\n| `c` |',
    '<table><thead><tr><th>h</th></tr></thead><tbody><tr><td><code>c</code></td></tr></tbody></table>',
  ],
  ['a `<b>` **c** [d](#e)', '<p>a <code>&lt;b&gt;</code> <strong>c</strong> <a href="#e">d</a></p>'],
  ['<script>', '<p>&lt;script&gt;</p>'],
  ['[x](a"b)', '<p><a href="a&quot;b">x</a></p>'],
  ['```\n# no\n\n| heading |\n```\nafter', '<pre tabindex="0"><code># no\n\n| heading |</code></pre><p>after</p>'],
])('%j', (source, html) => {
  expect(rendered(source)).toBe(html);
});

test('headings are told, with their places', () => {
  const { body, headings } = renderMarkdown('# API, at last\ntext\n## `x` y');
  expect(headings).toEqual([
    { level: 1, text: 'API, at last', id: 'api-at-last' },
    { level: 2, text: '`x` y', id: 'x-y' },
  ]);
  expect(body.html).toBe('<h1 id="api-at-last">API, at last</h1><p>text</p><h2 id="x-y"><code>x</code> y</h2>');
});
