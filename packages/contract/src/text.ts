import * as z from 'zod';

/**
 * Characters that show nothing: those that Unicode says to ignore when there is no glyph for them (zero-width and
 * direction marks, variation selectors, fillers, soft hyphen), controls, annotation marks, the empty braille pattern.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb\u2800]/gu;

/** Takes away leading white space only, as every text input is sent (spec §5). */
export const leftTrim = (text: string): string => text.replace(/^\s+/u, '');

/** True when something would be seen on screen. Marks that combine have nothing to stand on by themselves. */
export const isVisible = (text: string): boolean => text.replace(INVISIBLE, '').replace(/[\s\p{M}]+/gu, '') !== '';

/**
 * Longer texts are no names, logins or room keys, and are left as they are: to order the marks of a text of nothing but
 * marks takes time that grows with the square of its length, half a minute for a megabyte or two.
 */
const COMPOSED_MAX_LENGTH = 400;

/** Composed (NFC), so that two ways of typing one accented text are one. */
export const composed = (text: string): string => (text.length > COMPOSED_MAX_LENGTH ? text : text.normalize('NFC'));

/**
 * The key of a channel's room: its name without any white space (spec §3, rtcSession).
 * Composed (NFC) when nothing stands between letter and accent any more, so that two ways of typing one accented name
 * are one key, and the key of a key is itself.
 */
export const roomKey = (channelName: string): string =>
  composed(channelName.replace(INVISIBLE, '').replace(/\s+/gu, ''));

/** Text that PostgreSQL can store: NUL and lone surrogates are refused by it, so they are refused here first. */
const storable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Free text, left-trimmed and composed. May be empty. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 4)
    .transform((text) => composed(leftTrim(text)))
    .refine(storable, { message: 'unstorable' })
    .refine((text) => text.length <= maxLength, { message: 'too_long' });

/** Free text that shows at least one character. */
export const requiredText = (maxLength: number) => plainText(maxLength).refine(isVisible, { message: 'required' });

/** A moment as the calls carry it: ISO 8601, UTC, milliseconds. */
export const instant = z.iso.datetime();
