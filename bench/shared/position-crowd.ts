import { setTimeout as sleep } from 'node:timers/promises';
import { connectPosition, type PositionClient } from './position-client.ts';

/** Members of one channel, who all see each other. */
export interface PositionCrowd {
  /** Members move this often a second, one after the other. @returns from sending to each who sees it, ms */
  move(moves: number, perSecond: number): Promise<number[]>;
  /** This many move at a time, the next one as soon as one is answered. @returns moves a second, until everybody saw the last */
  flood(atATime: number, moves: number): Promise<number>;
  close(): void;
}

/** Longitudes are counted up by this, so that each tells its move. */
const STEP = 0.0001;

export async function gatherPositions(
  origin: string,
  tokens: readonly string[],
  isOurs: boolean,
): Promise<PositionCrowd> {
  const sentAt = new Map<number, number>();
  let delays: number[] = [];
  let missing = 0;
  let turn = 0;
  const heard = (lng: number): void => {
    const at = sentAt.get(Math.round(lng / STEP));
    if (at === undefined) return;
    delays.push(performance.now() - at);
    missing -= 1;
  };
  const clients: PositionClient[] = [];
  for (const token of tokens) clients.push(await connectPosition({ origin, token, isOurs, heard }));
  const step = async (): Promise<void> => {
    turn += 1;
    missing += clients.length;
    sentAt.set(turn, performance.now());
    await clients[turn % clients.length]?.move(turn * STEP);
  };
  const allHeard = async () => {
    for (let waited = 0; missing > 0; waited += 1) {
      if (waited > 1_000) throw new Error(`${missing} positions did not arrive`);
      await sleep(10);
    }
  };
  return {
    async move(moves, perSecond) {
      delays = [];
      const begun = performance.now();
      const answers: Promise<void>[] = [];
      for (let index = 0; index < moves; index += 1) {
        await sleep(Math.max(0, begun + (index * 1_000) / perSecond - performance.now()));
        answers.push(step());
      }
      await Promise.all(answers);
      await allHeard();
      return delays;
    },
    async flood(atATime, moves) {
      const begun = performance.now();
      let left = moves;
      const line = async () => {
        while (left-- > 0) await step();
      };
      await Promise.all(Array.from({ length: atATime }, line));
      await allHeard();
      return (moves * 1_000) / (performance.now() - begun);
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}
