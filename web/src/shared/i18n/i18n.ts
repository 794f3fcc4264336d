import { isolated } from '#src/shared/format/format.ts';
import { numberFormat } from '#src/shared/format/formatters.ts';
import { DEFAULT_LANGUAGE, type Language, language } from '#src/shared/languages.ts';
import { createListeners } from '#src/shared/listeners.ts';
import { loadableChunk } from '#src/shared/renewal.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import { loadWords } from './words.ts';
import { type Key, type Namespace, WORDS_BUNDLES } from './words-bundles.ts';

/** The values for the gaps of a sentence; `count` also chooses its plural form. */
export type Values = Readonly<Record<string, unknown>>;

/** Returns the sentence of a key, or of the first of several keys that has one. Without a sentence it returns the key itself. */
export type Translate<N extends Namespace> = (key: Key<N> | readonly Key<N>[], values?: Values) => string;

/** The app's texts in the chosen language. Its snapshot is that language. */
export interface I18n extends SnapshotSource<Language> {
  /** Returns the translator of a namespace: always the same function, so that it can be a dependency. */
  fixedT<N extends Namespace>(language: Language, namespace: N): Translate<N>;
  /**
   * Returns the promise to await before translating; undefined when the words are there. @throws ChunkGoneError when they
   * can't be loaded
   */
  pending(language: Language, namespace: Namespace): Promise<void> | undefined;
  /** Loads words in the language shown; failed loads are tried again. @throws ChunkGoneError */
  loadNamespaces(namespaces: readonly Namespace[]): Promise<void>;
  /** Changes the language when all words in use are loaded; the last call wins. @throws ChunkGoneError: nothing changes */
  changeLanguage(next: Language): Promise<void>;
}

export interface I18nDeps {
  language: Language;
  load: (language: Language, namespace: Namespace) => Promise<Record<string, unknown>>;
  /** Words that are loaded already. */
  known?: readonly (readonly [Language, Namespace, Record<string, unknown>])[];
}

const GAP = /\{\{(\w+)(, de)?\}\}/gu;

export function openI18n({ language: first, load, known = [] }: I18nDeps): I18n {
  let shown = first;
  let wanted = first;
  const listeners = createListeners();
  const words = new Map<string, Record<string, unknown>>();
  const loads = new Map<string, Promise<void>>();
  const failures = new Map<string, unknown>();
  const speakers = new Map<string, (path: string | readonly string[], values?: Values) => string>();
  const inUse = new Set<Namespace>();
  const keyOf = (language: Language, namespace: Namespace) => `${language}/${namespace}`;
  for (const [language, namespace, texts] of known) words.set(keyOf(language, namespace), texts);

  function pending(language: Language, namespace: Namespace, isRetry = false): Promise<void> | undefined {
    const key = keyOf(language, namespace);
    inUse.add(namespace);
    if (words.has(key)) return undefined;
    const begun = loads.get(key);
    const failure = failures.get(key);
    // A component that renders would otherwise request it for ever.
    if (failure !== undefined && !isRetry) throw failure;
    if (begun !== undefined && failure === undefined) return begun;
    failures.delete(key);
    const loading = loadableChunk(() => load(language, namespace))().then((texts) => void words.set(key, texts));
    loading.catch((error: unknown) => failures.set(key, error));
    loads.set(key, loading);
    return loading;
  }

  const loadAll = async (language: Language, namespaces: Iterable<Namespace>) => {
    await Promise.all([...namespaces].map((namespace) => pending(language, namespace, true)));
  };

  return {
    getSnapshot: () => shown,
    subscribe: listeners.add,
    pending: (language, namespace) => pending(language, namespace),
    fixedT(language, namespace) {
      const key = keyOf(language, namespace);
      let speaker = speakers.get(key);
      if (speaker === undefined) {
        const plural = new Intl.PluralRules(language);
        speaker = (path, values = {}) => {
          const texts = words.get(key);
          const paths = typeof path === 'string' ? [path] : path;
          for (const one of paths) {
            const sentence = sentenceAt(texts, one, values, plural);
            if (sentence !== undefined) return fill(sentence, values, language);
          }
          return paths.at(-1) ?? '';
        };
        speakers.set(key, speaker);
      }
      return speaker;
    },
    loadNamespaces: (namespaces) => loadAll(shown, namespaces),
    async changeLanguage(next) {
      wanted = next;
      await loadAll(next, inUse);
      // The user chose another language meanwhile.
      if (wanted !== next || shown === next) return;
      shown = next;
      listeners.notify();
    },
  };
}

function sentenceAt(
  texts: Record<string, unknown> | undefined,
  path: string,
  { count }: Values,
  plural: Intl.PluralRules,
): string | undefined {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let place: unknown = texts;
  for (const step of steps) place = Object(place)[step];
  const group: Record<string, unknown> = Object(place);
  const found = (typeof count === 'number' ? group[`${last}_${plural.select(count)}`] : undefined) ?? group[last];
  return typeof found === 'string' ? found : undefined;
}

const fill = (sentence: string, values: Values, shown: Language): string =>
  sentence.includes('{{')
    ? sentence.replace(GAP, (_gap, name: string, de?: string) => formatted(values[name], de !== undefined, shown))
    : sentence;

/**
 * Numbers with thousands separators, names after a French 'de' ('{{name, de}}'), right-to-left names isolated (NAME5),
 * everything else unchanged. Small numbers
 * skip Intl.NumberFormat, because the room's texts are rendered often while people talk.
 */
function formatted(value: unknown, isAfterDe: boolean, shown: Language): string {
  if (typeof value === 'number' && Math.abs(value) >= 1_000) return numberFormat(shown).format(value);
  const text = value === undefined || value === null ? '' : isolated(String(value));
  return isAfterDe ? deBefore(text) : text;
}

/**
 * Opens the app's texts in the stored language, else French, with the words that every screen needs; sets the page's
 * `lang`. Routes load the rest (app/router.tsx). @throws ChunkGoneError
 */
export async function createI18n(storage: Pick<AppStorage, 'readPreference'>): Promise<I18n> {
  const i18n = openI18n({
    language: storage.readPreference('language', language) ?? DEFAULT_LANGUAGE,
    load: loadWords,
  });
  const tell = () => {
    document.documentElement.lang = i18n.getSnapshot();
  };
  tell();
  i18n.subscribe(tell);
  await i18n.loadNamespaces(WORDS_BUNDLES.door);
  return i18n;
}

/** A vowel that is heard: the y of 'Yves', not that of 'Yann'. A mute h is not told apart from an aspirated one, nor elided. */
const HEARD_VOWEL = /^[^\p{L}\p{N}]*(?:[aeiouœæ]|y[^aeiou])/u;

/** French 'de' before a name, elided where its sound asks for it: 'de Nord', 'd’Ambulances', 'd’Équipe 2'. */
export function deBefore(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return HEARD_VOWEL.test(plain) ? `d’${name}` : `de ${name}`;
}
