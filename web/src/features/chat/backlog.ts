import { z } from '@pressel/contract/zod';
import { isAbove, type MessageWindow } from './message-window.ts';

/** Messages of others that were new when somebody came to a channel, and that they have not gone back to. */
export const backlog = z.object({
  /** They are those after this number. */
  after: z.int().min(0),
  /** How many, counted up to UNREAD_MAX. */
  count: z.int().min(1),
  /** When the first of them was written, ms; undefined while that is not known. */
  since: z.number().optional(),
});
export type Backlog = z.infer<typeof backlog>;

/** The backlog when somebody looks at a channel: what they left behind before, and what has come since [CHATS51]. */
export function backlogAfter(left: Backlog | undefined, readUpTo: number, unread: number): Backlog | undefined {
  if (unread === 0) return left;
  if (left === undefined || readUpTo < left.after) return { after: readUpTo, count: unread };
  // Nothing was read since: those that were left are counted already.
  if (readUpTo === left.after) return { ...left, count: unread };
  return { ...left, count: left.count + unread };
}

/** When the first message of a backlog was written, ms; undefined when it isn't held. */
export function beginningOf(window: MessageWindow, { after }: Backlog, userId: string): number | undefined {
  if (isAbove(window, after)) return undefined;
  const first = window.messages.find((one) => one.number > after && one.userId !== userId);
  return first && Date.parse(first.createdAt);
}
