/**
 * Clients that ask much, in a thread of their own, so that their cost is no bystander's wait. One without scruples asks again as soon as it
 * is answered, whatever the answer is. An office opens the console at once, as browsers do.
 */
import { Agent, request } from 'node:http';
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';

/** A request to repeat. */
export interface Question {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

interface Greed {
  kind: 'greed';
  origin: string;
  question: Question;
  atOnce: number;
}
interface Office {
  kind: 'office';
  origin: string;
  people: number;
  /** Files of the first screen, and files that are fetched after it. */
  first: number;
  later: number;
}

/** How often each status was the answer; `broken`: the connection was closed instead. */
export type Answers = Record<string, number>;

/** Begins to ask without pause. @returns the way to stop, which gives what was answered */
export function beGreedy(origin: string, question: Question, atOnce: number): () => Promise<Answers> {
  const { worker, told } = startWorker<Answers>({ kind: 'greed', origin, question, atOnce });
  return () => {
    worker.postMessage('stop');
    return told;
  };
}

/** Everybody in an office opens the console for the first time. @returns when each had the first screen and all, ms */
export const openTogether = (
  origin: string,
  office: Omit<Office, 'kind' | 'origin'>,
): Promise<{ answers: Answers; firstScreenMs: number[]; allMs: number[] }> =>
  startWorker<{ answers: Answers; firstScreenMs: number[]; allMs: number[] }>({ kind: 'office', origin, ...office })
    .told;

function startWorker<Told>(task: Greed | Office): { worker: Worker; told: Promise<Told> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  const told = new Promise<Told>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return { worker, told };
}

/** Connections of a browser to one server. */
const CONNECTIONS = 6;

if (!isMainThread && parentPort !== null) {
  const task = workerData as Greed | Office;
  parentPort.postMessage(await (task.kind === 'greed' ? askAgain(task, parentPort) : openAll(task)));
}

function createAsk(origin: string, agent: Agent, answers: Answers) {
  const once = ({ method, path, headers, body }: Question) =>
    new Promise<string>((resolve) => {
      const asked = request(origin + path, { method, headers, agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
        response.once('error', () => resolve('broken'));
      });
      asked.once('error', () => resolve('broken'));
      asked.end(body);
    });
  return async (question: Question): Promise<void> => {
    const answer = await once(question);
    answers[answer] = (answers[answer] ?? 0) + 1;
  };
}

async function askAgain({ origin, question, atOnce }: Greed, port: MessagePort): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const answers: Answers = {};
  const ask = createAsk(origin, agent, answers);
  let isOver = false;
  port.once('message', () => {
    isOver = true;
    // Nothing waits for answers that are held back.
    agent.destroy();
  });
  const lane = async () => {
    while (!isOver) await ask(question);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return answers;
}

async function openAll({ origin, people, first, later }: Office) {
  const answers: Answers = {};
  const firstScreenMs: number[] = [];
  const allMs: number[] = [];
  const begun = performance.now();
  const page: Question = { method: 'GET', path: '/signin', headers: { 'accept-encoding': 'br' } };
  const open = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const ask = createAsk(origin, agent, answers);
    await Promise.all(Array.from({ length: first }, () => ask(page)));
    firstScreenMs.push(performance.now() - begun);
    // The service worker fetches them one after the other (APP4).
    for (let file = 0; file < later; file += 1) await ask(page);
    allMs.push(performance.now() - begun);
    agent.destroy();
  };
  await Promise.all(Array.from({ length: people }, open));
  return { answers, firstScreenMs, allMs };
}
