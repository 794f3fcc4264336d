import type { CompatData, Identifier } from '@mdn/browser-compat-data';
import postcss from 'postcss';
import { type Plugin, parseSync } from 'vite';
import { lackedBy } from './oldest-browsers.ts';

/**
 * Features that the built files use though a supported browser lacks them, and why that does no harm. The compiler
 * checks our own code better (test/oldest-dom.ts); this is for libraries, and for styles.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  // Scripts.
  Notification: 'use-call-panel.ts asks for it before it uses it',
  'Notification.permission': 'the same',
  'Notification.requestPermission': 'the same',
  TouchEvent: 'Mantine asks for it before it is used',
  'window.TouchEvent': 'the same',
  WebTransport: 'a transport of Socket.IO; ours are WebSockets alone',
  'document.startViewTransition': 'the router asks for it, and we wish no transitions',
  navigation: 'React asks for it before it is used',
  'navigator.connection': 'React asks for it before it is used',
  'navigator.permissions': 'browser-deps.ts catches what it throws',
  'navigator.userAgentData': 'Mantine asks for it before it is used',
  setImmediate: 'React and Papa Parse ask for it before it is used',
  'window.cancelIdleCallback': 'when-idle.ts asks for it before it uses it',
  'window.requestIdleCallback': 'the same',
  // Styles. A browser ignores those that it doesn't know.
  '-webkit-tap-highlight-color': 'only phones mark what is tapped',
  '-webkit-touch-callout': 'only Safari on phones opens a menu there',
  '::-moz-progress-bar': 'beside the one of the other browsers',
  '::-webkit-inner-spin-button': 'the same',
  '::-webkit-progress-bar': 'the same',
  '::-webkit-progress-value': 'the same',
  '::-webkit-scrollbar': 'the same',
  '::-webkit-search-cancel-button': 'the same',
  '::-webkit-search-results-button': 'the same',
  '::selection': 'the colour of marked text on iPhones',
  'content-visibility': 'more is drawn than is seen',
  'content-visibility: auto': 'the same',
  'justify-content: safe': 'pictures begin at the edge instead of the middle',
  'overflow-anchor': 'Safari has no anchors that the feed would have to switch off',
  'overflow-anchor: none': 'the same',
  'print-color-adjust: exact': 'shapes of an SVG are printed in their colours anyway',
  resize: 'Mantine: text fields have the size that they are given',
  'resize: none': 'the same',
  'scrollbar-width': 'a scroll bar is seen',
  'scrollbar-width: none': 'the same',
  'text-align: match-parent': 'Mantine: as without it where all is read from left to right',
  'text-wrap: balance': 'lines of a heading are of unequal length',
};
/** Properties that only affect looks, or a pointer that phones don't have. */
const LOOKS = /^(?:cursor|text-box|text-wrap-style)\b/u;

/** Fails the build when its scripts or styles name something that a supported browser lacks. */
export function knownBrowsers(): Plugin {
  return {
    name: 'known-browsers',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const { default: data } = await import('@mdn/browser-compat-data', { with: { type: 'json' } });
        const found = new Map<string, string>();
        for (const file of Object.values(bundle)) {
          const text = file.type === 'chunk' ? file.code : String(file.source);
          // Workers are assets.
          const isScript = file.fileName.endsWith('.js');
          const names = isScript
            ? newerInScript(text, data)
            : file.fileName.endsWith('.css')
              ? newerInStyle(text, data)
              : [];
          for (const name of names) if (!LOOKS.test(name)) found.set(name, file.fileName);
        }
        const unknown = [...found].filter(([name]) => !(name in HARMLESS));
        const unused = Object.keys(HARMLESS).filter((name) => !found.has(name));
        if (unknown.length + unused.length === 0) return;
        this.error(
          `known-browsers.ts: some supported browser lacks ${unknown.map((one) => one.join(' in ')).join(', ') || 'nothing new'}; no longer used: ${unused.join(', ') || 'none'}`,
        );
      },
    },
  };
}

type Node = { type: string } & Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

function walk(value: unknown, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  if (Array.isArray(value)) for (const one of value) walk(one, visit, parent);
  else if (isNode(value)) {
    visit(value, parent);
    for (const child of Object.values(value)) if (typeof child === 'object') walk(child, visit, value);
  }
}

/** The interfaces of objects that every script has. */
const OBJECTS: Readonly<Record<string, string>> = {
  window: 'Window',
  document: 'Document',
  navigator: 'Navigator',
};

/** Returns globals, their static members and those of window, document and navigator that a supported browser lacks. */
function newerInScript(code: string, { api, javascript }: CompatData): string[] {
  const { program } = parseSync('script.js', code);
  const own = new Set<string>();
  const names = new Set<string>();
  walk(program, (node, parent) => {
    if (node.type !== 'Identifier') return;
    const isDeclared = /Declarator$|Function|Class|Catch|Pattern$|Element$|^Import/u.test(parent?.type ?? '');
    if (isDeclared && node !== parent?.init && node !== parent?.body) own.add(String(node.name));
  });
  walk(program, (node, parent) => {
    if (node.type === 'MemberExpression' && isNode(node.object) && isNode(node.property) && !node.computed) {
      if (node.object.type === 'Identifier') names.add(`${node.object.name}.${node.property.name}`);
    } else if (node.type === 'Identifier') {
      const isKey = parent?.property === node || parent?.key === node || parent?.label === node;
      if (!isKey || parent?.computed) names.add(String(node.name));
    }
  });
  const isNewer = (...features: (Identifier | undefined)[]) =>
    features.some((feature) => feature?.__compat !== undefined && lackedBy(feature.__compat).length > 0);
  return [...names].filter((name) => {
    const [object = '', member] = name.split('.');
    // A parameter with one of these names usually is that object.
    if (own.has(object) && !(object in OBJECTS)) return false;
    if (member === undefined) return isNewer(api[object] ?? javascript.builtins?.[object] ?? api.Window?.[object]);
    const owner = OBJECTS[object];
    if (owner !== undefined) return isNewer(api[owner]?.[member] ?? (owner === 'Window' ? api[member] : undefined));
    return isNewer(api[object]?.[`${member}_static`] ?? javascript.builtins?.[object]?.[member]);
  });
}

/** Returns properties, their keywords and functions, at-rules and selectors that a supported browser lacks. */
function newerInStyle(text: string, { css }: CompatData): string[] {
  const found = new Set<string>();
  const note = (name: string, feature: Identifier | undefined, isPrefixed?: (prefix: string) => boolean) => {
    if (feature?.__compat !== undefined && lackedBy(feature.__compat, isPrefixed).length > 0) found.add(name);
  };
  const functions = functionsOf(css.types ?? {});
  const root = postcss.parse(text);
  root.walkDecls(({ prop, value, parent }) => {
    const property = css.properties?.[prop];
    note(prop, property, (prefix) => parent?.some((one) => 'prop' in one && one.prop === prefix + prop) === true);
    for (const word of value.match(/(?<![\w-])[a-z][a-z-]*(?![\w(-])/gu) ?? [])
      note(`${prop}: ${word}`, property?.[word]);
    for (const [, name = ''] of value.matchAll(/(?<![\w-])([a-z-]+)\(/gu)) note(`${name}()`, functions.get(name));
  });
  root.walkAtRules(({ name, params }) => {
    const rule = css['at-rules']?.[name];
    note(`@${name}`, rule);
    for (const [, feature = ''] of params.matchAll(/\((?:min-|max-)?([a-z-]+)/gu))
      note(`@${name} ${feature}`, rule?.[feature]);
  });
  root.walkRules(({ selector }) => {
    for (const [whole, name = ''] of selector.matchAll(/::?([a-z-]+)/gu)) note(whole, css.selectors?.[name]);
  });
  return [...found];
}

/** Returns the functions of values, which MDN lists below the types that they return. */
function functionsOf(types: Identifier, found = new Map<string, Identifier>()): Map<string, Identifier> {
  for (const [name, feature] of Object.entries(types)) {
    if (name === '__compat') continue;
    if (!found.has(name)) found.set(name, feature as Identifier);
    functionsOf(feature as Identifier, found);
  }
  return found;
}
