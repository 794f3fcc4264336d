/** All words of this language, by namespace. Loaded as one chunk, and only when the language is shown. */
export const words = import.meta.glob<Record<string, unknown>>('../../locales/de/*.json', {
  eager: true,
  import: 'default',
});
