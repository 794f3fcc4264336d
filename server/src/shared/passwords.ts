import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Hashes many passwords on all cores; the result keeps their order. Calls `hashed` after each with the count so far.
   * @throws the signal's reason when aborted
   */
  hashAll(passwords: readonly string[], signal: AbortSignal, hashed: (count: number) => void): Promise<string[]>;
  /** Takes the same time with and without a stored hash, so that timing doesn't reveal which logins exist. */
  verify(stored: string | null, password: string): Promise<boolean>;
}

/** Memory in KiB, passes and lanes. */
export interface Argon2Cost {
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/** Argon2id with the parameters of RFC 9106's memory-constrained recommendation family (OWASP: 19 MiB, 2 passes). */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** @param cost of new hashes; stored hashes are verified at the cost encoded in them */
export async function createPasswords(cost: Readonly<Argon2Cost> = ARGON2ID): Promise<Passwords> {
  const decoy = await hash('nobody has this password', cost);
  return {
    hash: (password) => hash(password, cost),
    async hashAll(passwords, signal, hashed) {
      const hashes: string[] = [];
      const rest = passwords.entries();
      let count = 0;
      // At most one hash per core at a time, so that a sign-in meanwhile gets a thread of the pool.
      const lane = async (): Promise<void> => {
        for (const [index, password] of rest) {
          signal.throwIfAborted();
          hashes[index] = await hash(password, cost);
          count += 1;
          hashed(count);
        }
      };
      await Promise.all(Array.from({ length: availableParallelism() }, lane));
      signal.throwIfAborted();
      return hashes;
    },
    async verify(stored, password) {
      const matches = await verify(stored ?? decoy, password);
      return stored !== null && matches;
    },
  };
}
