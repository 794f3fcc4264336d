import { useEffect, useState } from 'react';

/**
 * Opens what was made open a moment after it was made: a dialog that begins open neither moves in nor knows where the focus
 * came from.
 */
export function useAfterMount(isOpen: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isMounted && isOpen;
}
