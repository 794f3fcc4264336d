import * as z from 'zod';
import { FILTER_MAX_LENGTH, LIST_MAX_LIMIT } from './limits.ts';

/** The languages of the console. A filter looks at rows as they are shown, so it has to know in which. */
export const language = z.enum(['fr', 'en', 'de']);

/**
 * What a list may be asked for. All of it is optional: without any the whole list comes, in its own order.
 * With `limit` a page comes: rows from `start` (0-based) on, without the lists that a row holds inside.
 */
export const listQuery = <const Column extends string>(columns: readonly [Column, ...Column[]]) =>
  z.object({
    start: z.int().min(0).max(1_000_000_000).optional(),
    limit: z.int().min(1).max(LIST_MAX_LIMIT).optional(),
    sort: z.enum(columns).optional(),
    order: z.enum(['asc', 'desc']).optional(),
    /** Text that the row must hold somewhere, without regard to case and accents. */
    filter: z.string().max(FILTER_MAX_LENGTH).optional(),
    /** For filters: how words and dates of the row are shown. */
    language: language.optional(),
    /** For filters: the IANA zone that dates are shown in. */
    timeZone: z.string().max(64).optional(),
  });

/** How many rows there are in all, after the filter and before paging. */
export const totalRecords = z.int();
