import { join } from 'node:path';
import { normalizePath } from 'vite';
import { WORDS_BUNDLES } from '../src/shared/i18n/words-bundles.ts';

/** The part of the bundler's module graph that is used here. */
interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const BOOT = normalizePath(join(import.meta.dirname, '../src/boot/boot.ts'));

/** boot.ts runs before all else, so what it imports is a file of its own. */
function firstChunk(id: string, graph: ModuleGraph): string | null {
  const first = new Set([BOOT]);
  for (const one of first) for (const imported of graph.getModuleInfo(one)?.importedIds ?? []) first.add(imported);
  return id !== BOOT && first.has(id) ? 'preload' : null;
}

const WORDS = /[\\/]locales[\\/](\w+)[\\/](\w+)\.json$/u;

/** The words of a bundle in one language are one file. */
function wordsChunk(id: string): string | null {
  const [, language, namespace] = WORDS.exec(id) ?? [];
  const bundle = Object.entries(WORDS_BUNDLES).find(([, names]) => names.some((name) => name === namespace));
  return bundle === undefined ? null : `words-${language}-${bundle[0]}`;
}

const source = (...files: readonly string[]) =>
  new RegExp(`[\\\\/]web[\\\\/]src[\\\\/](?:${files.join('|').replaceAll('/', '[\\\\/]')})\\.tsx?$`, 'u');

/** The shell, and what its pages share: all of them load it, the room too. */
const CONSOLE = source(
  'app/(?:console-layout|list-address)',
  'features/guests/guest-links',
  'features/chat/(?:chat-context|unsent-messages)',
  'shared/(?:activity-sentence|random-id|save-file|system-notice|format/format|ui/page)',
  'shared/lists/(?!bulk-modal)[\\w-]+',
);

/**
 * The code that is sent as one file: the modules that match, with all that they import. A module belongs to the first
 * file that needs it. All other code is split by the parts that import it, as the bundler does by itself.
 */
export const CHUNK_GROUPS = [
  { name: firstChunk, debugName: 'preload', priority: 3 },
  { name: wordsChunk, debugName: 'words', test: WORDS, priority: 3 },
  // Every page needs these, and they change less often than our code.
  {
    name: 'libraries',
    test: /[\\/]node_modules[\\/](?:react|react-dom|scheduler|zod|@tanstack[\\/](?:react-router|router-core|history|store|react-store))[\\/]/u,
    priority: 2,
  },
  // boot.ts runs it before the app, in a task of its own.
  { name: 'contract', test: /[\\/]contract[\\/]src[\\/]credentials\.ts$/u, priority: 2 },
  { name: 'app', test: source('main', 'app/doors'), priority: 2 },
  { name: 'console', test: CONSOLE, priority: 2 },
  // 150 bytes each: they would be files of their own.
  { name: 'icons', test: /[\\/](?:@tabler[\\/]icons-react|VisuallyHidden)[\\/]/u, minShareCount: 2, priority: 2 },
  { name: 'room', test: source('app/room-routes'), priority: 2 },
  // Every page of the console loads these ahead.
  {
    name: 'menus',
    test: source(
      'app/shell/(?:account-menu-list|side-drawer)',
      'features/calls/missed-calls-list',
      'shared/ui/row-menu-list',
    ),
    priority: 2,
  },
  // Parts of libraries that several files need and no page needs at once, such as menus and dialogs. Those that the same
  // files need are one file, and small files are merged.
  {
    name: 'overlays',
    test: /[\\/]node_modules[\\/]/u,
    minShareCount: 2,
    entriesAware: true,
    entriesAwareMergeThreshold: 20_000,
    priority: 1,
  },
];
