/** Parses a URL, from `base` on if it is relative; null when it is invalid. Like URL.parse, which Safari has since 18 only. */
export const parseUrl = (text: string, base?: string): URL | null =>
  URL.canParse(text, base) ? new URL(text, base) : null;
