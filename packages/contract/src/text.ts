import * as z from 'zod';

/** Characters that show nothing but are not white space for `\s`: zero-width marks, soft hyphen, controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be found here
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200d\u2060\u2066-\u2069\u202a-\u202e]/gu;

/** Takes away leading white space only, as every text input is sent (spec §5). */
export const leftTrim = (text: string): string => text.replace(/^\s+/u, '');

/** True when something would be seen on screen. */
export const isVisible = (text: string): boolean => text.replace(INVISIBLE, '').replace(/\s+/gu, '') !== '';

/**
 * The key of a channel's room: its name without any white space (spec §3, rtcSession).
 * Composed (NFC), so that two ways of typing one accented name are one key.
 */
export const roomKey = (channelName: string): string =>
  channelName.normalize('NFC').replace(INVISIBLE, '').replace(/\s+/gu, '');

/** Text that PostgreSQL can store: NUL and lone surrogates are refused by it, so they are refused here first. */
const storable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Free text, left-trimmed and composed. May be empty. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 4)
    .transform((text) => leftTrim(text).normalize('NFC'))
    .refine(storable, { message: 'unstorable' })
    .refine((text) => text.length <= maxLength, { message: 'too_long' });

/** Free text that shows at least one character. */
export const requiredText = (maxLength: number) => plainText(maxLength).refine(isVisible, { message: 'required' });

/** A moment as the calls carry it: ISO 8601, UTC, milliseconds. */
export const instant = z.iso.datetime();
