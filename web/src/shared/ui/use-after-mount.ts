import { useEffect, useState } from 'react';

/**
 * Returns true a moment after mounting, if `isOpen`. A dialog that is mounted open shows no transition and doesn't know
 * where the focus came from.
 */
export function useAfterMount(isOpen: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isMounted && isOpen;
}
