import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** CONTRIBUTING.md says how we write. These are the faults that a program can see. */
const MOST_WORDS = 30;
/** At the beginning of a sentence, after the mark of a list and a number of a rule. Questions may begin like this. */
const HEADLESS =
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

/** Sentences of the comments that begin a line. Lines of `//` that follow each other are one comment. */
function commentSentencesOf(code: string): string[] {
  const comments = code.matchAll(/^[ \t]*\{?\/\*.*?\*\/|(?:^[ \t]*\/\/ [^\n]*\n?)+/gmsu);
  return [...comments].flatMap(([comment]) => {
    const text = comment.replaceAll(/^[ \t]*(?:\{?\/\*+|\*(?!\/)|\/\/) ?|\*\/$/gmu, '');
    return sentencesOf(text).filter((sentence) => sentence !== '');
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
  expect('- **TALK1** Whoever asks waits.').toMatch(HEADLESS);
  expect('Who talks?').not.toMatch(HEADLESS);
  const headless = sentencesOfDocs().filter(({ sentence }) => HEADLESS.test(sentence));
  expect(headless).toEqual([]);
});

test('no sentence of a comment begins with a headless Of, Who, Whoever or What', () => {
  const code =
    '/** The link. Of two links, one. */\nconst a = 1;\n  // Where is it? What is here\n  // is left.\n/**\n * On which day.\n *\n * - What else.\n */\n';
  expect(commentSentencesOf(code)).toEqual([
    'The link.',
    'Of two links, one.',
    'Where is it?',
    'What is here is left.',
    'On which day.',
    '- What else.',
  ]);
  const headless = files
    .filter((file) => CODE.test(file))
    .flatMap((file) => commentSentencesOf(textOf(file)).map((sentence) => ({ file, sentence })))
    .filter(({ sentence }) => HEADLESS.test(sentence));
  expect(headless).toEqual([]);
});
