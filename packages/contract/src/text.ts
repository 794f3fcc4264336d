import { z } from './zod.ts';

/**
 * Invisible characters: Unicode's Default_Ignorable_Code_Point (zero-width and direction marks, variation selectors,
 * fillers, soft hyphen), controls, interlinear annotation marks, the empty braille pattern.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb\u2800]/gu;

/** Removes leading white space only, as for every text input (spec §5). */
export const leftTrim = (text: string): string => text.replace(/^\s+/u, '');

/** True when the text has a visible character. Combining marks without a base letter do not count. */
export const isVisible = (text: string): boolean => text.replace(INVISIBLE, '').replace(/[\s\p{M}]+/gu, '') !== '';

/**
 * Longer texts can't be names, logins or room keys and are not normalised: sorting the marks of a text made only of
 * combining marks takes quadratic time, half a minute for one or two megabytes.
 */
const COMPOSED_MAX_LENGTH = 400;

/**
 * True when no letter carries more marks than any script needs (Unicode UAX #15, Stream-Safe Text Format): sorting the marks of
 * a longer run takes quadratic time wherever the text is normalised.
 */
export const isStreamSafe = (text: string): boolean => !/[\p{M}\uff9e\uff9f]{31,}/u.test(text);

/** Normalised to NFC, so that both encodings of an accented text are equal. */
export const composed = (text: string): string => (text.length > COMPOSED_MAX_LENGTH ? text : text.normalize('NFC'));

/**
 * The key of a channel's room: its name without any white space (spec §3, rtcSession).
 * Normalised to NFC after the white space is removed, so that both encodings of an accented name give one key and
 * `roomKey` is idempotent.
 */
export const roomKey = (channelName: string): string =>
  composed(channelName.replace(INVISIBLE, '').replace(/\s+/gu, ''));

/** Whether PostgreSQL can store the text: it refuses NUL and lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Free text, left-trimmed and NFC-normalised. May be empty. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 4)
    .transform((text) => composed(leftTrim(text)))
    .refine(isStorable, { message: 'unstorable' })
    .refine((text) => text.length <= maxLength, { message: 'too_long' });

/** Free text with at least one visible character. */
export const requiredText = (maxLength: number) => plainText(maxLength).refine(isVisible, { message: 'required' });

/**
 * A name on one line with at least one visible character. Invisible ones are taken out, direction marks with them: such a
 * name can't hide or turn around what is written beside it.
 */
export const lineText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 4)
    .transform((text) => composed(text.replace(INVISIBLE, ' ').replace(/\s+/gu, ' ').trim()))
    .refine(isStorable, { message: 'unstorable' })
    .refine(isStreamSafe, { message: 'too_long' })
    .refine((text) => text.length <= maxLength, { message: 'too_long' })
    .refine(isVisible, { message: 'required' });

/** A timestamp: ISO 8601, UTC, milliseconds. PostgreSQL has no year 0. */
export const instant = z.iso.datetime().refine((text) => !text.startsWith('0000'), { message: 'unstorable' });
