import { WORDS_BUNDLES } from '../src/shared/i18n/words-bundles.ts';

/** The part of rolldown's module graph that is used here: who imports a module. */
interface ModuleGraph {
  getModuleInfo(id: string): { importers: readonly string[] } | null;
}

const WORDS = /[\\/]locales[\\/](\w+)[\\/](\w+)\.json$/u;
const CONTRACT = /[\\/]packages[\\/]contract[\\/]/u;
const OURS = /[\\/](?:web[\\/]src|packages[\\/]contract)[\\/]/u;
/** The modules that are loaded on their own, by `import()`. */
const PART =
  /[\\/]web[\\/]src[\\/](?:boot[\\/]boot\.ts$|(?:main|app[\\/](?:account-routes|activities-route|channels-routes|console-layout|dashboard-route|doors|room-routes|sign-up-route|transfer-routes|user-call-route|users-route|video-route)|features[\\/]room[\\/]room-screen)\.tsx$)/u;
/** It waits for nothing, because its dependencies are bundled with it. */
const BOOT = /[\\/]boot\.ts$/u;
const MAIN = /[\\/]main\.tsx$/u;
const DOOR = /[\\/](?:doors|sign-up-route)\.tsx$/u;

const NODE_MODULES = '[\\\\/]node_modules[\\\\/]';
const packages = (...names: string[]) => new RegExp(`${NODE_MODULES}(?:${names.join('|')})[\\\\/]`, 'u');
const mantine = (...names: string[]) =>
  new RegExp(
    `${NODE_MODULES}@mantine[\\\\/]core[\\\\/]esm[\\\\/](?:core|components[\\\\/](?:${names.join('|')}))[\\\\/]`,
    'u',
  );

const anyOf =
  (...patterns: readonly RegExp[]) =>
  (id: string) =>
    patterns.some((pattern) => pattern.test(id));

/** The blocker that asks before a form is left: no form of the first screens does. */
const USE_BLOCKER = /[\\/]react-router[\\/]dist[\\/]esm[\\/]useBlocker\./u;
const isFirstLibrary = anyOf(
  packages(
    'react',
    'react-dom',
    'scheduler',
    'zod',
    '@tanstack[\\\\/](?!virtual|react-virtual|query|react-query)[^\\\\/]+',
    'clsx',
  ),
  mantine('Button', 'UnstyledButton', 'Loader', 'Input', 'InlineInput', 'Checkbox', 'PasswordInput', 'TextInput'),
);

function wordsChunk(id: string): string | null {
  const [, language, namespace] = WORDS.exec(id) ?? [];
  const bundle = Object.entries(WORDS_BUNDLES).find(([, names]) => names.some((name) => name === namespace));
  return bundle === undefined ? null : `words-${language}-${bundle[0]}`;
}

/** Returns the parts that need a module. */
function partsOf(id: string, graph: ModuleGraph): Set<string> {
  const parts = new Set<string>();
  const seen = new Set<string>();
  const climb = (one: string): void => {
    if (seen.has(one)) return;
    seen.add(one);
    if (PART.test(one)) parts.add(one);
    else for (const importer of graph.getModuleInfo(one)?.importers ?? []) climb(importer);
  };
  climb(id);
  return [...parts].some((part) => BOOT.test(part)) ? new Set() : parts;
}

/** The icons of the first screens: their barrel hides who imports them. */
const FIRST_ICON = /[\\/]Icon(?:AlertTriangle|Bug|CircleCheck|CloudOff|InfoCircle|Lock|MapOff)\.mjs$/u;
/** The same for the icons that the console and the room share. */
const CONSOLE_ICON =
  /[\\/]Icon(?:Check|ChevronDown|Circle|CircleDashed|CircleFilled|CircleHalf2|DoorEnter|HandStop|History|Link|Loader2|Map2|MicrophoneOff|Phone|PlugConnectedX|Users|Volume)\.mjs$/u;

/** Our code that every screen needs, or that several parts share, among them the very first screen. */
function appChunk(id: string, graph: ModuleGraph): string | null {
  if (FIRST_ICON.test(id)) return 'app';
  if (!OURS.test(id)) return null;
  const parts = partsOf(id, graph);
  const isFirst =
    [...parts].some((part) => MAIN.test(part)) || (parts.size > 1 && [...parts].some((part) => DOOR.test(part)));
  return isFirst ? 'app' : null;
}

/**
 * Its part of the contract is a chunk of its own, because boot.ts runs it before the rest. Making schemas takes as long
 * as everything else.
 */
const contractChunk = (id: string, graph: ModuleGraph): string | null =>
  CONTRACT.test(id) && appChunk(id, graph) !== null ? 'contract' : null;

/** The room's part, and the code that it shares with the other call views, are one file. So the radio waits for no second one. */
const ROOM_PART = /[\\/](?:room-routes|room-screen|user-call-route|video-route)\.tsx$/u;
const OTHER_VIEW = /[\\/](?:user-call-route|video-route)\.tsx$/u;

function roomChunk(id: string, graph: ModuleGraph): string | null {
  const parts = [...partsOf(id, graph)];
  const isRoom =
    parts.every((part) => ROOM_PART.test(part)) && (parts.length > 1 || !parts.every((part) => OTHER_VIEW.test(part)));
  return isRoom ? 'room' : null;
}

/** The parts of every console page, and its lists: code that they share with others belongs to the console. */
const CONSOLE_PART = /[\\/](?:channels-routes|console-layout|dashboard-route|users-route)\.tsx$/u;

function consoleChunk(id: string, graph: ModuleGraph): string | null {
  if (CONSOLE_ICON.test(id)) return 'console';
  if (!OURS.test(id)) return null;
  const parts = [...partsOf(id, graph)];
  const isRoomAndMore = parts.some((part) => ROOM_PART.test(part)) && !parts.every((part) => ROOM_PART.test(part));
  const isConsole = parts.length > 1 && parts.some((part) => CONSOLE_PART.test(part));
  return isConsole || isRoomAndMore ? 'console' : null;
}

/**
 * The code that is sent as one file. The files are few, because each costs a request. Libraries are apart from our
 * code, which changes more often. A misplaced library costs bytes, which `npm run bench -- open` shows.
 */
export const CHUNK_GROUPS = [
  // A file of its own, because boot.ts needs it and must not wait for anything else.
  {
    name: 'preload',
    test: /vite[\\/]preload-helper|[\\/]api[\\/]first-answers|[\\/]i18n[\\/]words(?:-bundles)?\.ts$|[\\/]shared[\\/](?:browser-renewal|build-cache|listeners|renewal)\.ts$/u,
    priority: 6,
  },
  { name: wordsChunk, debugName: 'words', test: WORDS, priority: 5 },
  // One file: several would be 2 kB more, and they change together with the lock file.
  {
    name: 'libraries',
    test: (id: string) => isFirstLibrary(id) && !USE_BLOCKER.test(id),
    priority: 3,
  },
  {
    name: 'console-libraries',
    test: packages('@tanstack[\\\\/](?:query-core|react-query)', 'socket\\.io-[^\\\\/]+', 'engine\\.io-[^\\\\/]+'),
    priority: 2,
  },
  {
    name: 'console',
    test: anyOf(mantine('VisuallyHidden', 'Combobox[\\\\/](?:ComboboxChevron|get-parsed-combobox-data)'), USE_BLOCKER),
    priority: 2,
  },
  // The code that opens over a page, loaded when the page is rendered (app/shell/shell.tsx).
  {
    name: 'overlays',
    test: anyOf(
      mantine('Drawer', 'Menu', 'Modal', 'ModalBase', 'Popover', 'Overlay', 'ScrollArea', 'Portal'),
      packages('@floating-ui'),
    ),
    priority: 2,
  },
  // Otherwise the room would contain them, and others that need them would load the room.
  { name: 'fields', test: mantine('Combobox', 'Switch'), priority: 2 },
  { name: 'virtual', test: packages('@tanstack[\\\\/](?:react-virtual|virtual-core)'), priority: 2 },
  { name: contractChunk, debugName: 'contract', priority: 3 },
  { name: appChunk, debugName: 'app', priority: 2 },
  { name: consoleChunk, debugName: 'console', priority: 1 },
  { name: roomChunk, debugName: 'room', test: OURS, priority: 0 },
];
