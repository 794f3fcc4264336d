import type { Namespace } from './words-bundles.ts';

const files = import.meta.glob<Record<string, unknown>>('../../locales/*/*.json', { import: 'default' });

/**
 * Loads the words of a namespace; later calls return the same.
 * @throws Error when there are none, or when their file can't be loaded
 */
export async function loadWords(language: string, namespace: Namespace): Promise<Record<string, unknown>> {
  const load = files[`../../locales/${language}/${namespace}.json`];
  if (load === undefined) throw new Error(`No words for ${language}`);
  return load();
}
