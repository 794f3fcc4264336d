import { FILTER_MAX_LENGTH, LIST_MAX_LIMIT } from './limits.ts';
import { cleanName } from './text.ts';
import { z } from './zod.ts';

export const language = z.enum(['fr', 'en', 'de']).meta({
  description:
    'The languages of the console. A filter matches rows as they are displayed, so a list call takes the language.',
});

/**
 * The parameters of a list call, all optional: without any the whole list is returned in its default order.
 * With `limit` one page is returned: rows from `start` (0-based) on, without the lists nested in a row.
 */
export const listQuery = <const Column extends string>(columns: readonly [Column, ...Column[]]) =>
  z.object({
    start: z.int().min(0).max(1_000_000_000).optional(),
    limit: z.int().min(1).max(LIST_MAX_LIMIT).optional(),
    sort: z.enum(columns).optional(),
    order: z.enum(['asc', 'desc']).optional(),
    // Rule NAME1.
    filter: z
      .string()
      .max(FILTER_MAX_LENGTH)
      .transform(cleanName)
      .optional()
      .meta({ description: "Text that the row must contain, ignoring case, accents and what names don't have." }),
    language: language
      .optional()
      .meta({ description: "For filters: the language in which the row's words and dates are displayed." }),
    timeZone: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'For filters: the IANA time zone in which dates are displayed.' }),
  });

export const totalRecords = z.int().meta({ description: 'Number of rows after filtering and before paging.' });
