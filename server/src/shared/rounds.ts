import { setImmediate } from 'node:timers/promises';

/** Maximum of questions in one round. */
const MOST = 500;
/** After this time without an answer a round holds up the next one no longer, ms: its connection may hang. */
const PATIENCE_MS = 250;

export interface RoundsOptions {
  /**
   * Whether a failed round is tried again, each of its questions by itself: for writes, of which one may fail because of its own row.
   * Otherwise all questions of the round fail.
   */
  isolates?: boolean;
}

/**
 * Answers questions in rounds. Questions that come while the event loop reads its sockets are one round, and so are those that come during
 * the round before. So a thousand clients that come back at once need some dozens of statements, and a single one hardly waits.
 * @param work answers some questions, in their order. It begins after each of them was asked, so it reads nothing older.
 */
export function inRounds<Question, Answer>(
  work: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { isolates = false }: RoundsOptions = {},
): (question: Question) => Promise<Answer> {
  type Asked = { question: Question; answer: PromiseWithResolvers<Answer> };
  let waiting: Asked[] = [];
  let isBusy = false;

  async function settle(some: readonly Asked[]): Promise<void> {
    try {
      const answers = await work(some.map(({ question }) => question));
      if (answers.length !== some.length) throw new Error('A round left questions without an answer');
      for (const [index, { answer }] of some.entries()) answer.resolve(answers[index] as Answer);
    } catch (error) {
      if (isolates && some.length > 1) for (const one of some) void settle([one]);
      else for (const { answer } of some) answer.reject(error);
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
    const answer = Promise.withResolvers<Answer>();
    waiting.push({ question, answer });
    if (!isBusy) void goOn();
    return answer.promise;
  };
}

/** Resolves when the work is done, or is not done for too long. */
function orPatience(work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  void work.then(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
