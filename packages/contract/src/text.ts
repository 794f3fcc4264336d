import { z } from './zod.ts';

/**
 * Invisible characters: Unicode's Default_Ignorable_Code_Point (zero-width and direction marks, variation selectors,
 * fillers, soft hyphen), controls, interlinear annotation marks, the empty braille pattern.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\ufffb\u2800]/gu;

/** Controls that break a line or jump to a column. Names stand on one line. */
const BREAKS = /[\t-\r\u0085\u2028\u2029]/gu;

/** Letters of scripts that are written joined (Arabic, Persian, Indic, Mongolian and others). A joiner decides how they look. */
const JOINED = '\\u0600-\\u061b\\u061d-\\u0dff\\u0f00-\\u109f\\u1780-\\u17b3\\u17b6-\\u180a\\u1810-\\u18af';
/** Symbols and emoji: coarse, because a joiner or a variation selector after any symbol hides nothing. */
const EMOJI =
  '\\u00a9\\u00ae\\u203c\\u2049\\u2100-\\u27bf\\u2900-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}';
/**
 * Sequences in which an invisible character changes what is seen. Migration 0015 has the same ranges for what was stored
 * before, because PostgreSQL knows no Unicode properties.
 */
const MEANINGFUL = [
  // Emoji that are made of several, and those in text or emoji style.
  `[${EMOJI}]\\ufe0f?\\u200d(?=[${EMOJI}])`,
  `[${EMOJI}][\\ufe0e\\ufe0f]`,
  '[#*0-9]\\ufe0f(?=\\u20e3)',
  // Flags of regions, such as that of Scotland.
  '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{1,6}\\u{e007f}',
  `[${JOINED}](?:\\u200d|\\u200c(?=[${JOINED}]))`,
  // Variants of Mongolian letters and of Chinese characters, which names in Japan are registered with.
  '[\\u1820-\\u18aa][\\u180b-\\u180f]',
  '[\\u3400-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}][\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
].join('|');
/** NUL stays, so that `isStorable` refuses the text. */
const MEANINGFUL_OR_INVISIBLE = new RegExp(`(${MEANINGFUL})|(?!\\0)${INVISIBLE.source}`, 'gu');

/**
 * A name on one line without characters that only hide, reorder or imitate: controls, direction marks, overrides and isolates
 * (U+202E turns a whole line around), zero-width characters, fillers. Joiners and variation selectors stay where emoji and
 * scripts need them. Idempotent, and `roomKey` of the result is that of the argument (NAME1).
 */
export const cleanName = (text: string): string =>
  text.replace(BREAKS, ' ').replace(MEANINGFUL_OR_INVISIBLE, (_, meaningful?: string) => meaningful ?? '');

/** Removes leading white space only, as for every text input (spec §5). */
export const leftTrim = (text: string): string => text.replace(/^\s+/u, '');

/**
 * True when the text has a visible character. Combining marks without a base letter do not count, nor does U+FFFC, which stands for an
 * object that isn't there: browsers draw nothing.
 */
export const isVisible = (text: string): boolean =>
  text.replace(INVISIBLE, '').replace(/[\s\p{M}\ufffc]+/gu, '') !== '';

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

/**
 * A name as it is stored, and as it is compared with stored names. It is cleaned twice, because composing in between may move marks of a
 * letter away from its joiner.
 */
export const typedName = (text: string): string => leftTrim(cleaned(cleaned(text)));
const cleaned = (text: string): string => composed(cleanName(text));

/** A name or number as people type it: cleaned, left-trimmed and NFC-normalised. May be empty. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 4)
    .transform(typedName)
    .refine(isStorable, { message: 'unstorable' })
    .refine((text) => text.length <= maxLength, { message: 'too_long' });

/** The same with at least one visible character. */
export const requiredText = (maxLength: number) => plainText(maxLength).refine(isVisible, { message: 'required' });

/** A name whose white space is single spaces, with at least one visible character. */
export const lineText = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 4)
    .transform((text) => typedName(text).replace(/\s+/gu, ' ').trim())
    .refine(isStorable, { message: 'unstorable' })
    .refine(isStreamSafe, { message: 'too_long' })
    .refine((text) => text.length <= maxLength, { message: 'too_long' })
    .refine(isVisible, { message: 'required' });

export const instant = z.iso
  .datetime()
  .refine((text) => !text.startsWith('0000'), { message: 'unstorable' })
  .meta({ description: 'A timestamp: ISO 8601, UTC, milliseconds. PostgreSQL has no year 0.' });
