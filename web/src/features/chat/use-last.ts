import { useState } from 'react';

/** Returns the last defined value: a dialog shows it until it is closed. */
export function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
