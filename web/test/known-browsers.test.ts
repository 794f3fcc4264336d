// @vitest-environment node
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { browserData } from './browser-data.ts';
import { COMPILER, oldestLibrary } from './oldest-dom.ts';

const web = resolve(import.meta.dirname, '..');

interface Guarded {
  /** The names as the compiler reports them. */
  names: readonly string[];
  /** The way in which the code does without them. */
  without: string;
}

/** Features that the code uses though a supported browser lacks them, by file. */
const APP: Readonly<Record<string, Guarded>> = {
  'src/features/room/swipe.ts': {
    names: ['changedTouches', 'clientX', 'clientY', 'targetTouches'],
    without: 'Safari on a desk sends no touch events, and so never calls what reads them.',
  },
  'src/features/users/form/photo-field.tsx': {
    names: ['imageSmoothingQuality'],
    without: 'A wish: Firefox draws photos at its usual quality.',
  },
  'src/features/voice/engine/camera.ts': {
    names: ['getDisplayMedia'],
    without: 'Phones offer no button to share a screen: openScreen is null there.',
  },
  'src/features/voice/engine/browser-deps.ts': {
    names: ['HTMLAudioElement', 'permissions', 'state'],
    without:
      'Sound without setSinkId stays on the default loudspeaker. A WebView has no permissions and throws, which is caught.',
  },
  'src/features/voice/engine/microphone-test.ts': {
    names: ['HTMLAudioElement'],
    without: 'As above: the test of the microphone then plays on the default loudspeaker.',
  },
  'src/shared/images/shrink.ts': {
    names: ['imageSmoothingQuality'],
    without: 'A wish: Firefox draws images at its usual quality.',
  },
  'src/shared/system-notice.ts': {
    names: ['Notification', 'getNotifications', 'showNotification'],
    without: 'isSupported() is asked first. In an Android WebView calls and messages are told on the page alone.',
  },
  'src/shared/when-idle.ts': {
    names: ['cancelIdleCallback', 'window.requestIdleCallback'],
    without: 'Safari does it at once.',
  },
};

const WORKER: typeof APP = {
  'worker/service-worker.ts': {
    names: ['notification'],
    without: 'No click on a notice comes where a browser shows none.',
  },
};

const namesOf = (guarded: typeof APP) =>
  Object.fromEntries(Object.entries(guarded).map(([file, { names }]) => [file, names]));

/** Shows that the check works: code that must be refused. */
const PLANTED = 'planted.ts';

/** Makes the compiler check sources with the library of the oldest browsers. @returns by file: the names that it doesn't know */
async function namesUnknown(library: 'dom' | 'webworker', project: string): Promise<Record<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'pressel-oldest-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const declarations = join(folder, `${library}.d.ts`);
  await writeFile(declarations, oldestLibrary(library, browserData));
  await writeFile(join(folder, PLANTED), "export const port = URL.parse('https://a.example')?.port;");
  const config = join(folder, 'tsconfig.json');
  const { include } = JSON.parse(await readFile(project, 'utf8')) as { include: string[] };
  await writeFile(
    config,
    JSON.stringify({
      extends: project,
      // The compiler looks for a project's types from here.
      compilerOptions: { lib: ['es2024'], types: [join(web, '../node_modules/vite/client')] },
      files: [declarations, join(folder, PLANTED)],
      include: include.map((path) => join(dirname(project), path)),
      exclude: [join(web, 'test'), join(web, '**/*.test.ts'), join(web, '**/*.test.tsx')],
    }),
  );
  const said = await new Promise<string>((done) => {
    // One checker, and little collecting of garbage: as in scripts/test.ts.
    const args = [COMPILER, '-p', config, '--pretty', 'false', '--checkers', '1'];
    const env = { ...process.env, GOGC: '400' };
    execFile(process.execPath, args, { cwd: web, env }, (_error, output) => done(output));
  });
  const names: Record<string, string[]> = {};
  for (const line of said.split('\n')) {
    const [, file = '', name = line] = /^(\S+?)\(\d+,\d+\): error [^']*'(.+?)'/u.exec(line) ?? [];
    if (file === '') continue;
    const place = basename(file) === PLANTED ? PLANTED : relative(web, resolve(web, file));
    names[place] = [...new Set([...(names[place] ?? []), name])].toSorted();
  }
  return names;
}

test('the app uses nothing that a supported browser lacks, unless it can do without', async () => {
  const found = await namesUnknown('dom', join(web, 'tsconfig.json'));
  expect(found).toEqual({ ...namesOf(APP), [PLANTED]: ['parse'] });
});

test('so does the service worker', async () => {
  const found = await namesUnknown('webworker', join(web, 'worker/tsconfig.json'));
  expect(found).toEqual({ ...namesOf(WORKER), [PLANTED]: ['parse'] });
});
