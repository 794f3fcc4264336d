import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Hashes many, on all cores, in the order given. `hashed` is told how many are ready, after each.
   * @throws the signal's reason when it aborts
   */
  hashAll(passwords: readonly string[], signal: AbortSignal, hashed: (count: number) => void): Promise<string[]>;
  /** Takes the same time whether or not there is a stored hash, so that unknown logins can't be told apart. */
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

/** @param cost what a hash takes; what is stored is checked with the cost that it was made with */
export async function createPasswords(cost: Readonly<Argon2Cost> = ARGON2ID): Promise<Passwords> {
  const decoy = await hash('nobody has this password', cost);
  return {
    hash: (password) => hash(password, cost),
    async hashAll(passwords, signal, hashed) {
      const hashes: string[] = [];
      const rest = passwords.entries();
      let count = 0;
      // No more at once than there are cores: whoever signs in meanwhile needs a thread as well.
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
