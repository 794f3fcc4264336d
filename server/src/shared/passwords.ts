import { hash, verify } from '@node-rs/argon2';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time whether or not there is a stored hash, so that unknown logins can't be told apart. */
  verify(stored: string | null, password: string): Promise<boolean>;
}

/** Argon2id with the parameters of RFC 9106's memory-constrained recommendation family (OWASP: 19 MiB, 2 passes). */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export async function createPasswords(): Promise<Passwords> {
  const decoy = await hash('nobody has this password', ARGON2ID);
  return {
    hash: (password) => hash(password, ARGON2ID),
    async verify(stored, password) {
      const matches = await verify(stored ?? decoy, password);
      return stored !== null && matches;
    },
  };
}
