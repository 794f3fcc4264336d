import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createKeyedLock } from '#src/shared/keyed-lock.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Hashes many passwords on several cores; the result keeps their order. Calls `hashed` after each with the count so far.
   * Simultaneous calls share the cores and take turns.
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

/**
 * @param cost cost of new hashes; stored hashes are verified at the cost encoded in them
 * @param argon2 the functions that compute, each on a thread of libuv's pool
 * @param lanes how many hashes of imports are computed at once
 */
export async function createPasswords(
  cost: Readonly<Argon2Cost> = ARGON2ID,
  argon2: { hash: typeof hash; verify: typeof verify } = { hash, verify },
  lanes = availableParallelism(),
): Promise<Passwords> {
  const decoy = await argon2.hash('nobody has this password', cost);
  /** Each lane computes one hash at a time, whoever asks: during any import, sign-ins still get a thread of the pool. */
  const turns = createKeyedLock();
  return {
    hash: (password) => argon2.hash(password, cost),
    async hashAll(passwords, signal, hashed) {
      const hashes: string[] = [];
      const rest = passwords.entries();
      let count = 0;
      const work = async (lane: number): Promise<void> => {
        for (const [index, password] of rest) {
          hashes[index] = await turns.run(String(lane), async () => {
            signal.throwIfAborted();
            return argon2.hash(password, cost);
          });
          count += 1;
          hashed(count);
        }
      };
      await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)));
      signal.throwIfAborted();
      return hashes;
    },
    async verify(stored, password) {
      const matches = await argon2.verify(stored ?? decoy, password);
      return stored !== null && matches;
    },
  };
}
