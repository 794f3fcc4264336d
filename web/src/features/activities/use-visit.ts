import { useState } from 'react';

let visits = 0;

/**
 * A number for the time from one look at the newest entries to the next: within it every page keeps its entries, and so
 * does the way back to the first one.
 */
export function useVisit(): { visit: number; begin: () => void } {
  const [visit, setVisit] = useState(nextVisit);
  return { visit, begin: () => setVisit(nextVisit()) };
}

function nextVisit(): number {
  visits += 1;
  return visits;
}
