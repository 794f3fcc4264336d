import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { expect } from 'vitest';
import { type Processes, type ProcessesOptions, startProcesses } from '../processes.ts';
import {
  enterAsPage,
  type Member,
  makeChannelAt,
  messagesAt,
  type RoomClient,
  sendTextAt,
  signUpAt,
} from '../room-client.ts';
import { waitUntil } from '../wait-until.ts';

const LOOK_MS = 5;
/** A member may send some two messages a second. */
const WRITE_MS = 120;

/** Several processes with one room, and people in it who talk and write all the time. */
export interface Crowd {
  readonly processes: Processes;
  readonly members: readonly Member[];
  readonly pages: readonly RoomClient[];
  readonly channelId: ChannelId;
  /** All members press, talk for a moment and let go, over and over; one of them writes. */
  begin(): void;
  /** How many talks were granted so far, and how many messages were acknowledged. */
  granted(): number;
  sent(): number;
  /** Why calls failed. */
  refused(): string[];
  /** Ends talking and writing, and waits until all are in the room and see the same state. */
  end(): Promise<void>;
  /** Checks what must always hold: at most one holder, growing versions, no acknowledged message lost, no message sent twice. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export async function gather(people: number, options: ProcessesOptions): Promise<Crowd> {
  const processes = await startProcesses(options);
  const { origin } = processes;
  const members: Member[] = [];
  for (let index = 0; index < people; index += 1) members.push(await signUpAt(origin, `P${index}`));
  const channelId = await makeChannelAt(origin, members[0] as Member, 'Nord', members);
  const pages: RoomClient[] = [];
  for (const member of members.slice(1)) pages.push(await enterAsPage(() => origin, member, channelId));

  let isOn = false;
  let work: Promise<unknown> = Promise.resolve();
  let granted = 0;
  /** Pairs who believed at the same moment that they held the floor, and for how long [PROC53]. */
  const overlaps: { ms: number; since: number; who: string[] }[] = [];
  const acknowledged: Message[] = [];
  const refused: string[] = [];
  let overlap: (typeof overlaps)[number] | null = null;
  const watch = setInterval(() => {
    const holders = pages.filter((page) => page.isTalking());
    const now = performance.now();
    if (holders.length < 2) {
      overlap = null;
    } else if (overlap === null) {
      overlap = { ms: 0, since: now, who: holders.map(({ id }) => id) };
      overlaps.push(overlap);
    } else {
      overlap.ms = now - overlap.since;
    }
  }, LOOK_MS);

  async function talk(page: RoomClient): Promise<void> {
    while (isOn) {
      await sleep(Math.random() * 200);
      if (!page.isThere()) continue;
      const answer = await page.press().catch(() => null);
      if (answer?.type !== 'granted') continue;
      granted += 1;
      await sleep(100 + Math.random() * 400);
      await page.release();
    }
  }
  async function write(): Promise<void> {
    for (let number = 1; isOn; number += 1) {
      await sleep(WRITE_MS);
      const writer = members[1 + (number % pages.length)] as Member;
      await sendTextAt(origin, writer, channelId, `Message ${number}`).then(
        (message) => acknowledged.push(message),
        (error: unknown) => refused.push(error instanceof Error ? `${error}: ${error.cause}` : String(error)),
      );
    }
  }

  return {
    ...{ processes, members, pages, channelId },
    begin() {
      isOn = true;
      work = Promise.all([...pages.map(talk), write()]);
    },
    granted: () => granted,
    sent: () => acknowledged.length,
    refused: () => refused,
    async end() {
      isOn = false;
      await work;
      await waitUntil(() => pages.every((page) => page.isThere()));
      await waitUntil(() => new Set(pages.map((page) => `${page.floor().version} ${page.floor().talkers}`)).size === 1);
      expect(pages[0]?.floor().talkers).toEqual([]);
    },
    async check() {
      expect(overlaps, 'two who held the floor at one moment').toEqual([]);
      for (const page of pages) {
        const news = page.of<{ version: number; talkers: { id: string }[] }>('floor_changed');
        for (const { talkers } of news) expect(talkers.length).toBeLessThanOrEqual(1);
        // A page that comes back by a process that lagged behind may hear again what the other process told it.
        const messages = page.heard
          .filter(({ event }) => event === 'messageResponse')
          .map(({ link, payload }) => `${(payload as Message).id} by link ${link}`);
        expect(messages, 'messages that were told twice').toEqual([...new Set(messages)]);
      }
      // One version means one state of the floor, whichever process sends it.
      const states = new Map<number, string>();
      for (const { version, talkers } of pages.flatMap((page) =>
        page.of<{ version: number; talkers: { id: string }[] }>('floor_changed'),
      )) {
        const state = talkers.map(({ id }) => id).join();
        expect(states.get(version) ?? state, `version ${version}`).toBe(state);
        states.set(version, state);
      }
      const stored = await messagesAt(origin, (members[1] as Member).token, channelId);
      const ids = new Set(stored.map(({ id }) => id));
      expect(
        acknowledged.filter(({ id }) => !ids.has(id)),
        'acknowledged and lost',
      ).toEqual([]);
      expect(stored.map(({ number }) => number)).toEqual(stored.map((_, index) => index + 1));
    },
    async close() {
      clearInterval(watch);
      for (const page of pages) page.close();
      await processes.close();
    },
  };
}
