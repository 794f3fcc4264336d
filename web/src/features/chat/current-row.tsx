import { createContext, type ReactNode, use } from 'react';

export interface RowPlace {
  /** Begins the ids of a row's parts. */
  id: string;
  /** Whether the Tab key leads to what can be done with the row: for the current one alone. */
  isCurrent: boolean;
}

const RowContext = createContext<RowPlace | undefined>(undefined);

/** Says to the parts of a row in the list which one it is. */
export function RowProvider({ id, isCurrent, children }: RowPlace & { children: ReactNode }) {
  return <RowContext value={{ id, isCurrent }}>{children}</RowContext>;
}

/** The tabIndex of a control in a row; undefined outside of the list, where each is a stop [KEYS10]. */
export function useRowTab(): 0 | -1 | undefined {
  const place = use(RowContext);
  if (place === undefined) return undefined;
  return place.isCurrent ? 0 : -1;
}

/** The id of a row's part, by which the row is named; undefined outside of the list. */
export function useRowPartId(part: RowPart): string | undefined {
  const place = use(RowContext);
  return place && rowPartId(place.id, part);
}

export type RowPart = 'head' | 'words' | 'state';
export const rowPartId = (id: string, part: RowPart): string => `${id}-${part}`;
