import { setImmediate } from 'node:timers/promises';
import { AppError } from '#src/shared/app-error.ts';
import { isConnectionLost, isFaultOfRow } from './errors.ts';

/** Maximum of questions in one round. */
const MOST = 500;
/** Maximum of questions that wait; more are refused. */
const WAITING_MAX = 10_000;
const RETRY_AFTER_SECONDS = 5;
/** After this time without an answer a round holds up the next one no longer, ms: its connection may hang. */
const PATIENCE_MS = 250;
/** If not all failing rows of a round are found in this time, the rest of the round fails, ms. */
const ISOLATING_MAX_MS = 10_000;
/** Maximum of single rows of a failed round that are tried at once: each may wait for a lock. */
const SINGLES_AT_ONCE = 4;

export interface RoundsOptions {
  /**
   * For writes, of which one may fail because of its own row: then the round is tried again in halves. Otherwise the questions are reads. If
   * their connection was lost, the round is asked once more; after other failures all of its questions fail.
   */
  isolates?: boolean;
}

/**
 * Answers questions in rounds. Questions that come while the event loop reads its sockets are one round, and so are those that come during
 * the round before. So a thousand clients that come back at once need some dozens of statements, and a single one hardly waits. If too many
 * wait, a question fails with the AppError `unavailable`.
 * @param work answers some questions, in their order. It begins after each of them was asked, so it reads nothing older.
 */
export function inRounds<Question, Answer>(
  work: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { isolates = false }: RoundsOptions = {},
): (question: Question) => Promise<Answer> {
  type Asked = { question: Question; answer: PromiseWithResolvers<Answer> };
  let waiting: Asked[] = [];
  let isBusy = false;

  async function askTwice(questions: readonly Question[]): Promise<readonly Answer[]> {
    try {
      return await work(questions);
    } catch (error) {
      if (isolates || !isConnectionLost(error)) throw error;
      // By then the pool knows which others of its connections ended at the same time.
      await setImmediate();
      return work(questions);
    }
  }

  async function answerAll(some: readonly Asked[]): Promise<void> {
    const answers = await askTwice(some.map(({ question }) => question));
    if (answers.length !== some.length) throw new Error('A round left questions without an answer');
    for (const [index, { answer }] of some.entries()) answer.resolve(answers[index] as Answer);
  }

  async function settle(round: readonly Asked[]): Promise<void> {
    const endsAt = performance.now() + ISOLATING_MAX_MS;
    const parts = [round];
    // These come last: a locked row waits longest alone, and holds up none of the others.
    const singles: Asked[] = [];
    async function settlePart(part: readonly Asked[]): Promise<void> {
      try {
        await answerAll(part);
      } catch (error) {
        if (!isolates || !isFaultOfRow(error) || performance.now() > endsAt) {
          for (const { answer } of [part, ...parts.splice(0), singles.splice(0)].flat()) answer.reject(error);
        } else if (part.length === 1) part[0]?.answer.reject(error);
        else {
          const middle = Math.ceil(part.length / 2);
          for (const half of [part.slice(0, middle), part.slice(middle)]) {
            if (half.length > 1) parts.push(half);
            else singles.push(...half);
          }
        }
      }
    }
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) await settlePart(part);
    while (singles.length > 0) {
      await Promise.all(singles.splice(0, SINGLES_AT_ONCE).map((one) => settlePart([one])));
    }
  }

  async function goOn(): Promise<void> {
    isBusy = true;
    await setImmediate();
    while (waiting.length > 0) {
      const some = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      await orPatience(settle(some));
    }
    isBusy = false;
  }

  return (question) => {
    if (waiting.length >= WAITING_MAX) {
      return Promise.reject(new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
    const answer = Promise.withResolvers<Answer>();
    waiting.push({ question, answer });
    if (!isBusy) void goOn();
    return answer.promise;
  };
}

/** Resolves when the work is done, or is not done for too long. */
export function orPatience(work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  void work.then(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
