import type { RowFault } from '@pressel/contract/transfer';

/** Characters of a cell that an answer repeats, enough to identify the row: cells may be very long. */
const TEXT_SHOWN_MAX = 120;
const NAMES_SHOWN_MAX = 20;

/** The first visible text, truncated. */
export const nameShown = (...texts: readonly string[]): string =>
  cut(texts.find((text) => text.trim() !== '')?.trim() ?? '');

export const faultShown = (fault: RowFault): RowFault =>
  fault.names === undefined ? fault : { ...fault, names: fault.names.slice(0, NAMES_SHOWN_MAX).map(cut) };

const cut = (text: string): string =>
  text.length <= TEXT_SHOWN_MAX ? text : `${text.slice(0, TEXT_SHOWN_MAX).toWellFormed()}…`;

/** Number of rows with each outcome. */
export const countsOf = (outcome: Record<'created' | 'existing' | 'rejected' | 'repeated', readonly unknown[]>) => ({
  created: outcome.created.length,
  existing: outcome.existing.length,
  rejected: outcome.rejected.length,
  repeated: outcome.repeated.length,
});
