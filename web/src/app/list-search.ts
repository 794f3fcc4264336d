import { FILTER_MAX_LENGTH, PAGE_SIZES } from '@pressel/contract/limits';
import { isStorable } from '@pressel/contract/text';
import { z } from '@pressel/contract/zod';

export const size = z.literal([...PAGE_SIZES]);

/** Search parameters of a list's URL. Defaults are left out. */
export const listSearch = z.object({
  q: z.string().max(FILTER_MAX_LENGTH).refine(isStorable).optional().catch(undefined),
  sort: z.string().max(40).optional().catch(undefined),
  desc: z.literal(true).optional().catch(undefined),
  page: z.int().min(2).max(1_000_000).optional().catch(undefined),
  size: size.optional().catch(undefined),
  /** The open dialog: 'create', or the id of the edited row. */
  panel: z.string().max(64).optional().catch(undefined),
});
export type ListSearch = z.infer<typeof listSearch>;

/** The dashboard has two lists. */
export const dashboardSearch = z.object({
  users: listSearch.optional().catch(undefined),
  channels: listSearch.optional().catch(undefined),
});
