import { createContext, type ReactNode, use } from 'react';

export interface RowContextValue {
  /** Prefix of the ids of a row's parts. */
  id: string;
  /** Whether the Tab key leads to the row's controls: only in the current row. */
  isCurrent: boolean;
}

const RowContext = createContext<RowContextValue | undefined>(undefined);

/** Tells the parts of a row in the list which row they are in. */
export function RowProvider({ id, isCurrent, children }: RowContextValue & { children: ReactNode }) {
  return <RowContext value={{ id, isCurrent }}>{children}</RowContext>;
}

/** The tabIndex of a control in a row; undefined outside the list, where each control is a Tab stop [KEYS10]. */
export function useRowTab(): 0 | -1 | undefined {
  const place = use(RowContext);
  if (place === undefined) return undefined;
  return place.isCurrent ? 0 : -1;
}

/** The id of a row's part, by which the row is named; undefined outside the list. */
export function useRowPartId(part: RowPart): string | undefined {
  const place = use(RowContext);
  return place && rowPartId(place.id, part);
}

export type RowPart = 'head' | 'words' | 'state';
export const rowPartId = (id: string, part: RowPart): string => `${id}-${part}`;
