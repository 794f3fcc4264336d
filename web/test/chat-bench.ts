import { type getChannelMessages, type Message, message as messageSchema } from '@pressel/contract/chat';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { z } from '@pressel/contract/zod';
import { sampleId } from './samples.ts';

export const CHANNEL = sampleId(900) as ChannelId;
export const ME = sampleId(1) as UserId;
export const OTHER = sampleId(2) as UserId;

const FIRST_AT = Date.parse('2026-11-20T10:00:00.000Z');

/** A message of Noé with this number, two minutes after the one before. */
export const messageOf = (number: number, part: Partial<z.input<ReturnType<typeof messageSchema>>> = {}): Message =>
  messageSchema().parse({
    id: sampleId(10_000 + number),
    channelId: CHANNEL,
    number,
    userId: OTHER,
    user: { display_name: 'Noé' },
    textMsg: `Message ${number}`,
    createdAt: new Date(FIRST_AT + number * 120_000).toISOString(),
    file: null,
    clientId: sampleId(20_000 + number),
    ...part,
  });

/** The news of a message that the channel's members elsewhere get. */
export const newsOf = (
  { channelId, id, number, userId, user, textMsg, file }: Message,
  channelName = 'Nord',
): ServerPayload<'onSendMessage'> => ({
  ...{ channelId, channelName, id, number, userId, user, textMsg },
  hasImage: file !== null,
});

/** A channel as stored on the server: the answers for `getChannelMessages`. */
export function createStoredChannel(count: number) {
  const messages = new Map<number, Message>();
  for (let number = 1; number <= count; number += 1) messages.set(number, messageOf(number));
  const stored = {
    messages,
    newest: count,
    readUpTo: count,
    add(message: Message): Message {
      messages.set(message.number, message);
      stored.newest = Math.max(stored.newest, message.number);
      return message;
    },
    answer({ before, after, around, limit }: z.output<typeof getChannelMessages.body>) {
      const all = [...messages.values()].sort((one, other) => one.number - other.number);
      const older = all.filter(({ number }) => number < (before ?? around ?? Number.MAX_SAFE_INTEGER));
      const newer = all.filter(({ number }) => number > (after ?? 0) && number >= (around ?? 0));
      const discussion =
        after !== undefined
          ? newer.slice(0, limit)
          : around !== undefined
            ? [...older.slice(older.length - Math.floor(limit / 2)), ...newer].slice(0, limit)
            : older.slice(-limit);
      const [first] = discussion;
      const last = discussion.at(-1);
      return {
        success: true as const,
        discussion,
        hasOlder: first !== undefined && all[0]?.number !== first.number,
        hasNewer: last !== undefined && all.at(-1)?.number !== last.number,
        newest: stored.newest,
        readUpTo: stored.readUpTo,
        unread: all.filter(({ number, userId }) => number > stored.readUpTo && userId !== ME).length,
      };
    },
  };
  return stored;
}
