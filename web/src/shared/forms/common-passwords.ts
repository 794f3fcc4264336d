import { useEffect, useState } from 'react';

/** Passwords that are common in our languages, and missing from a list that was collected mostly in English. */
const LOCAL = ['motdepasse', 'mot de passe', 'azertyuiop', 'qwertz', 'qwertzuiop', 'passwort1', '0000', '00000000'];

/** Loaded on demand: the list is a chunk of its own. */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { commonPasswords } = await import('virtual:common-passwords');
  return new Set([...commonPasswords.split('\n'), ...LOCAL]);
}

/** The most common passwords, in lower case; undefined until they are wanted and loaded. */
export function useCommonPasswords(isWanted: boolean): ReadonlySet<string> | undefined {
  const [known, setKnown] = useState<ReadonlySet<string>>();
  useEffect(() => {
    // If the list can't be loaded, only its hint is missing.
    if (isWanted) loadCommonPasswords().then(setKnown, () => undefined);
  }, [isWanted]);
  return known;
}
