import type { CallReply } from '@pressel/contract/call';
import type { getChannelMessages, Message, MessageId } from '@pressel/contract/chat';
import { z } from '@pressel/contract/zod';

/**
 * Maximum number of held messages. Beyond it, the messages farthest from the reader are dropped, and read again when
 * needed [CHATS3].
 */
export const HELD_MAX = 400;

export type MessagesPage = Pick<
  CallReply<typeof getChannelMessages>,
  'discussion' | 'hasOlder' | 'hasNewer' | 'newest'
>;

/** A part of a channel's messages without gaps: only deleted messages are missing between two of them. */
export interface MessageWindow {
  /** Ordered by number. */
  messages: readonly Message[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** The highest known number of the channel; 0 before the first message. */
  newest: number;
}

export const EMPTY_WINDOW: MessageWindow = { messages: [], hasOlder: false, hasNewer: false, newest: 0 };

export const firstNumber = ({ messages }: MessageWindow): number => messages[0]?.number ?? 0;
export const lastNumber = ({ messages }: MessageWindow): number => messages.at(-1)?.number ?? 0;

/** Whether messages after that number may be missing above the first held message. */
export const isAbove = (window: MessageWindow, number: number): boolean =>
  window.hasOlder && number + 1 < firstNumber(window);

/** Replaces all held messages by a page that was read anew. */
export const windowOf = ({ discussion, hasOlder, hasNewer, newest }: MessagesPage): MessageWindow => ({
  messages: discussion,
  hasOlder,
  hasNewer,
  newest,
});

/** Adds the page before the first message. Drops the newest messages when there are too many. */
export function withOlder(window: MessageWindow, page: MessagesPage): MessageWindow {
  const messages = joined(page.discussion, window.messages);
  const kept = messages.slice(0, HELD_MAX);
  return {
    messages: kept,
    hasOlder: page.hasOlder,
    hasNewer: window.hasNewer || kept.length < messages.length,
    newest: Math.max(window.newest, page.newest),
  };
}

/** Adds the page after the last message. Drops the oldest messages when there are too many. */
export function withNewer(window: MessageWindow, page: MessagesPage): MessageWindow {
  const messages = joined(window.messages, page.discussion);
  const kept = messages.slice(-HELD_MAX);
  return {
    messages: kept,
    hasOlder: window.hasOlder || kept.length < messages.length,
    hasNewer: page.hasNewer,
    newest: Math.max(window.newest, page.newest),
  };
}

/**
 * Applies a page to the numbers after `after`: messages that the page doesn't name were deleted meanwhile. Messages
 * that came live after the page was read stay.
 */
export function withRead(window: MessageWindow, page: MessagesPage, after: number): MessageWindow {
  const upTo = page.hasNewer ? (page.discussion.at(-1)?.number ?? after) : page.newest;
  const others = window.messages.filter(({ number }) => number <= after || number > upTo);
  const isPastEnd = upTo >= lastNumber(window);
  return {
    messages: joined(others, page.discussion),
    hasOlder: window.hasOlder,
    hasNewer: isPastEnd ? page.hasNewer : window.hasNewer,
    newest: Math.max(window.newest, page.newest),
  };
}

/**
 * Adds a message that has just come. `isGap`: another message must come before it, so it was not added.
 * @param isAtEnd whether the end is on the screen; otherwise new messages must not drop the ones that the user looks at
 */
export function withNewMessage(
  window: MessageWindow,
  message: Message,
  isAtEnd: boolean,
): { window: MessageWindow; isGap: boolean } {
  const { number } = message;
  const newest = Math.max(window.newest, number);
  if (number > window.newest + 1) return { window, isGap: true };
  // The window doesn't hold the end: it is read when the user goes there.
  if (window.hasNewer) return { window: newest === window.newest ? window : { ...window, newest }, isGap: false };
  if (number < firstNumber(window) && window.hasOlder) return { window, isGap: false };
  const isLast = number > lastNumber(window);
  const messages = isLast ? [...window.messages, message] : joined(window.messages, [message]);
  if (messages.length <= HELD_MAX) return { window: { ...window, messages, newest }, isGap: false };
  return isAtEnd
    ? { window: { ...window, messages: messages.slice(-HELD_MAX), hasOlder: true, newest }, isGap: false }
    : { window: { ...window, hasNewer: true, newest }, isGap: false };
}

/** Removes deleted messages. Returns the same window when it holds none of them. */
export function without(window: MessageWindow, deleted: ReadonlySet<MessageId>): MessageWindow {
  if (!window.messages.some(({ id }) => deleted.has(id))) return window;
  return { ...window, messages: window.messages.filter(({ id }) => !deleted.has(id)) };
}

/**
 * Whether a message that was held once is deleted: the window holds its position, without it. False for positions that
 * the window doesn't hold.
 */
export function isDeleted(window: MessageWindow, { id, number }: Message): boolean {
  if (number > window.newest || (window.hasOlder && number < firstNumber(window))) return false;
  if (window.hasNewer && number > lastNumber(window)) return false;
  return !window.messages.some((message) => message.id === id);
}

/** Replaces a message that was read again, at its old position. */
export const withAgain = (window: MessageWindow, message: Message): MessageWindow => ({
  ...window,
  messages: window.messages.map((one) => (one.id === message.id ? message : one)),
});

/** Joins messages in the order of their numbers; of two with the same number, the later argument's counts. */
function joined(some: readonly Message[], more: readonly Message[]): readonly Message[] {
  const byNumber = new Map([...some, ...more].map((message) => [message.number, message]));
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}

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
