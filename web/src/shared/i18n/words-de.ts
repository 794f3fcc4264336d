/** All texts of this language by namespace: one chunk, loaded when the language is selected. */
export const words = import.meta.glob<Record<string, unknown>>('../../locales/de/*.json', {
  eager: true,
  import: 'default',
});
