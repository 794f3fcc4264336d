import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** CONTRIBUTING.md says how we write. These are the faults that a program can see. */
const MOST_WORDS = 30;
const HEADLESS = /^(?:Of|Who|Whom|Whose|On which|To whom|For whom) /u;
/** The same, at the beginning of a sentence of the documentation, after the mark of a list and a number of a rule. */
const HEADLESS_SENTENCE =
  /^(?:[-*] |\d+\. |\*\*[^*]*\*\* )*(?:Of|Who|Whom|Whose|Whoever|Whatever|What|On which|To whom|For whom) [^?]*$/u;
const root = join(import.meta.dirname, '..');
const DOCS = /^(?:README|CONTRIBUTING|CHANGELOG|SECURITY|docs\/.*|examples\/.*)\.md$/u;
/** The table whose cells quote titles of tests. */
const QUOTES = 'docs/conformance.md';
const CODE = /\.tsx?$/u;

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(join(root, file)));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Sentences of a Markdown text and of its tables' cells: without code blocks and headings, and with the words of links alone. */
function sentencesOf(markdown: string): string[] {
  const text = markdown
    .replaceAll(/```.*?```/gsu, '')
    .replaceAll(/^#.*$/gmu, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.flatMap((row) => row.split('|').slice(1, -1));
  return [...text.replaceAll(/^\|.*$/gmu, '').split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/u), ...cells]
    .map((paragraph) => paragraph.trim().replaceAll(/\s+/gu, ' '))
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?:;])\s+(?=[A-Z`*([])/u));
}

const sentencesOfDocs = () =>
  files
    .filter((file) => DOCS.test(file))
    .flatMap((file) => {
      const text = file === QUOTES ? textOf(file).replaceAll(/^\|.*$/gmu, '') : textOf(file);
      return sentencesOf(text).map((sentence) => ({ file, sentence }));
    });

/** First lines of doc comments, and of comments on lines of their own. */
function openingsOf(code: string): string[] {
  const lines = code.split('\n').map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (line === '/**') return [(lines[at + 1] ?? '').replace(/^\* /u, '')];
    if (line.startsWith('/** ')) return [line.slice('/** '.length)];
    return line.startsWith('// ') && lines[at - 1]?.startsWith('//') !== true ? [line.slice('// '.length)] : [];
  });
}

/** The commands that begin the lines of shell blocks, after variables. */
const COMMANDS =
  /^(?:[A-Z_]+=\S+ )*(?:npm|sudo|docker|printf|journalctl|git|deploy\/up\.sh|python3|venv\/bin\/python|admin\(\)) /u;

test('each line of a shell block is a command, a comment, or goes on with the line before', () => {
  const blocks = files
    .filter((file) => DOCS.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/```sh\n(.*?)```/gsu)].map(([, block = '']) => ({ file, block })));
  const others = blocks.flatMap(({ file, block }) =>
    block
      .replaceAll(/\\\n\s*/gu, '')
      .split('\n')
      .filter((line) => !/^\s*(?:#|$)/u.test(line) && !COMMANDS.test(`${line.trim()} `))
      .map((line) => `${file}: ${line}`),
  );
  expect(blocks.length).toBeGreaterThan(10);
  expect(others).toEqual([]);
});

test('sentences are taken out of Markdown', () => {
  const markdown = '# A title\n\n- One [link](x.md). Two:\n  `three`; four.\n\n| five | Six. Seven |\n';
  const sentences = sentencesOf(markdown).filter((one) => one !== '');
  expect(sentences).toEqual(['- One link.', 'Two:', '`three`; four.', 'five', 'Six.', 'Seven']);
});

test(`no sentence of the documentation has more than ${MOST_WORDS} words`, () => {
  const long = sentencesOfDocs().filter(({ sentence }) => sentence.split(' ').length > MOST_WORDS);
  expect(long).toEqual([]);
});

test('no sentence of the documentation begins with a headless Of, Who, Whoever or What', () => {
  expect('- **TALK1** Whoever asks waits.').toMatch(HEADLESS_SENTENCE);
  expect('Who talks?').not.toMatch(HEADLESS_SENTENCE);
  const headless = sentencesOfDocs().filter(({ sentence }) => HEADLESS_SENTENCE.test(sentence));
  expect(headless).toEqual([]);
});

test('no comment begins with a headless Of, Who or On which', () => {
  const code = '/** Of the link. */\n\n  // Who is here\n  // Of those in the room.\n/**\n * On which day.\n */';
  expect(openingsOf(code)).toEqual(['Of the link. */', 'Who is here', 'On which day.']);
  const headless = files
    .filter((file) => CODE.test(file))
    .flatMap((file) => openingsOf(textOf(file)).map((opening) => ({ file, opening })))
    .filter(({ opening }) => HEADLESS.test(opening));
  expect(headless).toEqual([]);
});
