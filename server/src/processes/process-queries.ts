import { randomUUID } from 'node:crypto';
import { errorCode, errorParams } from '@pressel/contract/errors';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import { AppError } from '#src/shared/app-error.ts';
import type { Relay } from './relay.ts';

/** How long the process that holds it may take to answer, ms. The other processes don't answer. */
const ANSWER_MS = 1_500;

/**
 * Makes a kind of question about things that one of the processes holds, such as a socket.
 * @param here answers for what this process holds; null: it is elsewhere, or nowhere
 * @returns asks this process and, if necessary, the others; null: nobody has it
 */
export type AskAll = <Question, Answer>(
  topic: string,
  question: z.ZodType<Question>,
  here: (question: Question) => Promise<Answer> | null,
) => (question: Question) => Promise<Answer | null>;

/** An unknown code only says that the other process failed: a retry at another process may say more. */
const failed = z.object({ code: errorCode.catch('unavailable'), params: errorParams.catch({}) });
const outcomes = z.object({
  answer: z.unknown().optional(),
  failed: failed.optional().catch({ code: 'unavailable', params: {} }),
});
type Outcome = z.infer<typeof outcomes>;
const answers = z.object({ id: z.string(), outcome: outcomes });
const questions = z.object({ id: z.string(), question: z.unknown() });

/** @param relay null: there are no others */
export function createProcessQueries(relay: Relay | null, log: Pick<FastifyBaseLogger, 'error'>): AskAll {
  const waiting = new Map<string, (outcome: Outcome) => void>();
  relay?.on('answers', answers, ({ id, outcome }) => waiting.get(id)?.(outcome));

  const askOthers = (others: Relay, topic: string, question: unknown): Promise<Outcome | null> => {
    if (!others.isLinked()) throw new AppError('unavailable', { retryAfterSeconds: 1 });
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Outcome | null>();
    const timer = setTimeout(() => resolve(null), ANSWER_MS);
    waiting.set(id, resolve);
    others.send(topic, { id, question });
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(id);
    });
  };
  const outcomeOf = (work: Promise<unknown>): Promise<z.input<typeof outcomes>> =>
    work.then(
      (answer) => ({ answer }),
      (error: unknown) => {
        if (error instanceof AppError) return { failed: { code: error.code, params: error.params } };
        log.error({ err: error }, 'answer_failed');
        return { failed: { code: 'internal', params: {} } };
      },
    );

  return (topic, schema, here) => {
    relay?.on(topic, questions, ({ id, question }) => {
      const { data } = schema.safeParse(question);
      const work = data === undefined ? null : here(data);
      if (work !== null) void outcomeOf(work).then((outcome) => relay.send('answers', { id, outcome }));
    });
    return async (question) => {
      const own = here(question);
      if (own !== null || relay === null) return own;
      const outcome = await askOthers(relay, topic, question);
      if (outcome === null) return null;
      if (outcome.failed !== undefined) throw new AppError(outcome.failed.code, outcome.failed.params);
      return outcome.answer as never;
    };
  };
}
