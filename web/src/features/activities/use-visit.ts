import { useState } from 'react';
import { randomId } from '#src/shared/random-id.ts';

/**
 * Names the time from one look at the newest entries to the next. Within it every page keeps its entries, and so does
 * the way back to the first one.
 */
export function useVisit(): { visit: string; begin: () => void } {
  const [visit, setVisit] = useState(randomId);
  return { visit, begin: () => setVisit(randomId()) };
}
