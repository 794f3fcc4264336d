/** The address that a text is, from `base` on if it is relative; null when it is none. As URL.parse, which Safari has since 18 only. */
export const parseUrl = (text: string, base?: string): URL | null =>
  URL.canParse(text, base) ? new URL(text, base) : null;
