// @vitest-environment node
import { NAME_MAX_LENGTH } from '@pressel/contract/limits';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { limitsApart } from '../vite/limits-apart.ts';

const PAGE = 'virtual:page';
const page = {
  name: 'page',
  resolveId: (id: string) => (id === PAGE ? id : undefined),
  load: (id: string) =>
    id === PAGE
      ? "import { NAME_MAX_LENGTH } from '@pressel/contract/limits'; console.log('page', NAME_MAX_LENGTH);"
      : undefined,
};

test('a limit stands in the file of the contract alone', async () => {
  const outcome = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    plugins: [page, limitsApart],
    build: {
      write: false,
      rolldownOptions: {
        input: PAGE,
        output: { codeSplitting: { groups: [{ name: 'contract', test: /[\\/]contract[\\/]/u }] } },
      },
    },
  });
  const files = 'output' in outcome ? outcome.output.flatMap((file) => (file.type === 'chunk' ? [file] : [])) : [];
  const limit = new RegExp(`\\b${NAME_MAX_LENGTH}\\b`, 'u');
  expect(files.filter(({ code }) => limit.test(code)).map(({ name }) => name)).toEqual(['contract']);
});
