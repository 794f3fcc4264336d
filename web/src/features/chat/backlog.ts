import { z } from '@pressel/contract/zod';
import { isAbove, type MessageWindow } from './message-window.ts';

/** Messages of others that were new when the user came to a channel, and to which the user has not gone back. */
export const backlog = z.object({
  /** The backlog's messages have numbers above this one. */
  after: z.int().min(0),
  /** Number of messages, counted up to UNREAD_MAX. */
  count: z.int().min(1),
  /** When the first of them was written, ms; undefined while it is unknown. */
  since: z.number().optional(),
});
export type Backlog = z.infer<typeof backlog>;

/** The backlog when the user looks at a channel: messages left unread before, and those that came since [CHATS51]. */
export function backlogAfter(left: Backlog | undefined, readUpTo: number, unread: number): Backlog | undefined {
  if (unread === 0) return left;
  if (left === undefined || readUpTo < left.after) return { after: readUpTo, count: unread };
  // The user has read nothing since: `unread` already includes the messages left before.
  if (readUpTo === left.after) return { ...left, count: unread };
  return { ...left, count: left.count + unread };
}

/** When the first message of a backlog was written, ms; undefined when the window doesn't hold it. */
export function beginningOf(window: MessageWindow, { after }: Backlog, userId: string): number | undefined {
  if (isAbove(window, after)) return undefined;
  const first = window.messages.find((one) => one.number > after && one.userId !== userId);
  return first && Date.parse(first.createdAt);
}
