import { defineCall } from './call.ts';
import { channelId, userId } from './ids.ts';
import {
  FILE_NAME_MAX_LENGTH,
  FILTER_MAX_LENGTH,
  IMAGE_BODY_MAX_BYTES,
  MESSAGE_MAX_LENGTH,
  MESSAGES_MAX_LIMIT,
  MESSAGES_PAGE,
  UNREAD_MAX,
} from './limits.ts';
import { clientEvent, done, inRoom, serverEvent } from './socket.ts';
import { cleanName, instant, isStreamSafe, isVisible } from './text.ts';
import { z } from './zod.ts';

/** A message's id (UUID v7, made by the server). */
export const messageId = z.uuid().toLowerCase().brand<'MessageId'>();
export type MessageId = z.infer<typeof messageId>;

/**
 * The sender's own id of a message (UUID of any version). The server stores one message per sender and id: a message sent
 * again because its answer was lost is answered with the one that is stored.
 */
export const clientMessageId = z.uuid().toLowerCase().brand<'ClientMessageId'>();
export type ClientMessageId = z.infer<typeof clientMessageId>;

/**
 * A message's place in its channel, counted up from 1 without gaps in the order in which messages were stored. Cursors and
 * marks of reading are such numbers; the number of a deleted message is not used again.
 */
export const messageNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
/** Like a message's number; 0 stands before the first message. */
const mark = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** How many messages of others somebody has not read, counted up to UNREAD_MAX. */
const unread = z.int().min(0).max(UNREAD_MAX);

/** Text that somebody writes, without the white space around it. */
const written = z.string().trim().max(MESSAGE_MAX_LENGTH).refine(isStreamSafe, { message: 'unreadable' });
/** Text of a message. Several lines are fine; one that shows nothing is not. */
export const messageText = written.refine(isVisible, { message: 'required' });
/** Text that goes with an image: may be empty. */
const caption = written.default('');

/** An image of a message. The paths are signed, and valid for one to two hours. */
export const messageFile = z.object({
  path: z.string(),
  /** The file's name on the sender's device, with the ending of the file that is served. */
  fileName: z.string(),
  /** A small version, for lists. */
  thumbnailPath: z.string(),
  /** The image's size in pixels, by which a page keeps its place free until it is loaded. */
  width: z.int().positive(),
  height: z.int().positive(),
  /** The image's size in bytes. */
  bytes: z.int().positive(),
});
export type MessageFile = z.infer<typeof messageFile>;

/** A message of a channel (spec §3). */
export const message = z.object({
  id: messageId,
  channelId,
  number: messageNumber,
  /** The sender, whose account may be deleted by now; the name stays. */
  userId,
  user: z.object({ display_name: z.string() }),
  /** Empty when an image was sent without words. */
  textMsg: z.string(),
  createdAt: instant,
  file: messageFile.nullable(),
  clientId: clientMessageId,
});
export type Message = z.infer<typeof message>;

export const getChannelMessages = defineCall({
  method: 'POST',
  path: '/user/api/getchannelmessagelistForAdmin',
  access: 'member',
  summary:
    'Messages of a channel, oldest first: the newest ones, or those before or after a number, or around one. For administrators and members of it.',
  body: z
    .object({
      channelId,
      /** Only messages with a lower number. */
      before: messageNumber.optional(),
      /** Only messages with a higher number: the first ones after it. */
      after: mark.optional(),
      /** Messages on both sides of this number, and the message itself. */
      around: messageNumber.optional(),
      limit: z.int().min(1).max(MESSAGES_MAX_LIMIT).default(MESSAGES_PAGE),
    })
    .refine(({ before, after, around }) => [before, after, around].filter((one) => one !== undefined).length <= 1, {
      message: 'only_one',
    }),
  reply: z.object({
    success: z.literal(true),
    discussion: z.array(message),
    /** Whether there are messages before the first and after the last one of these. */
    hasOlder: z.boolean(),
    hasNewer: z.boolean(),
    /** The highest number that was given in this channel, 0 before the first message. */
    newest: mark,
    /** The number up to which the caller has read. If they never read here: where it was when they became a member. */
    readUpTo: mark,
    /** Messages of others after `readUpTo`. */
    unread,
  }),
  errors: ['not_found', 'not_a_member'],
});

export const searchMessages = defineCall({
  method: 'POST',
  path: '/user/api/searchMessages',
  access: 'member',
  summary:
    'Messages of a channel that contain a text, ignoring case and accents, newest first. For administrators and members of it.',
  body: z.object({
    channelId,
    text: z.string().trim().min(1).max(FILTER_MAX_LENGTH),
    before: messageNumber.optional(),
    limit: z.int().min(1).max(MESSAGES_MAX_LIMIT).default(MESSAGES_PAGE),
  }),
  reply: z.object({ success: z.literal(true), res: z.array(message), hasOlder: z.boolean() }),
  errors: ['not_found', 'not_a_member'],
  cost: 5,
  work: 'long',
});

export const sendMessage = defineCall({
  method: 'POST',
  path: '/user/api/sendMessageToChannel',
  access: 'member',
  summary:
    'Send a message to a channel. userId is accepted and not trusted. With a clientId it can be sent again safely: it is stored once.',
  body: z.object({
    userId: userId.optional(),
    channelId,
    message: messageText,
    clientId: clientMessageId.optional(),
  }),
  reply: z.object({ success: z.literal(true), message }),
  /** not_found for a message: it was stored under this clientId and deleted since. conflict: it is in another channel. */
  errors: ['not_found', 'not_a_member', 'conflict'],
  maxBytes: 4 * MESSAGE_MAX_LENGTH + 1_024,
});

export const uploadFile = defineCall({
  method: 'POST',
  path: '/user/api/uploadFile',
  access: 'member',
  summary:
    'Send an image to a channel, with or without words: multipart/form-data, the fields before the file. It is decoded, stripped of its metadata and stored as WebP.',
  /** The fields; `image` is the file. */
  body: z.object({
    userId: userId.optional(),
    channelId,
    textMsg: caption,
    clientId: clientMessageId.optional(),
  }),
  file: 'image',
  reply: z.object({ success: z.literal(true), message }),
  /** not_found for a message: it was stored under this clientId and deleted since. conflict: it is in another channel. */
  errors: ['not_found', 'not_a_member', 'conflict'],
  cost: 5,
  maxBytes: IMAGE_BODY_MAX_BYTES,
  work: 'long',
});

export const deleteMessage = defineCall({
  method: 'POST',
  path: '/user/api/deleteMessageById',
  access: 'member',
  summary: 'Delete a message and its image for everybody: an own one, or any as an administrator.',
  body: z.object({ msgId: messageId }),
  reply: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'forbidden'],
});

export const markMessagesRead = defineCall({
  method: 'POST',
  path: '/user/api/markMessagesRead',
  access: 'member',
  summary:
    'Say that the messages from one number to another were on the screen. The mark of reading moves to the highest one, never back.',
  body: z
    .object({ channelId, from: messageNumber, to: messageNumber })
    .refine(({ from, to }) => from <= to, { message: 'reversed' }),
  reply: z.object({ success: z.literal(true), readUpTo: mark, unread }),
  errors: ['not_found', 'not_a_member'],
});

export const getMessageReaders = defineCall({
  method: 'POST',
  path: '/user/api/getMessageReaders',
  access: 'admin',
  summary: 'Who had a message on the screen, and when first; in the order of time. Without its sender.',
  body: z.object({ msgId: messageId }),
  reply: z.object({
    success: z.literal(true),
    res: z.array(z.object({ userId, display_name: z.string(), readAt: instant })),
    /** The number of the channel's members now, without the sender. */
    memberCount: z.int().min(0),
  }),
  errors: ['not_found'],
});

export const getUnreadCounts = defineCall({
  method: 'POST',
  path: '/user/api/getUnreadCounts',
  access: 'member',
  summary:
    'How many messages of others the caller has not read, by channel: the channels they are a member of, without those with nothing unread.',
  body: z.object({}),
  reply: z.object({
    success: z.literal(true),
    res: z.array(z.object({ channelId, unread: unread.min(1) })),
  }),
  errors: [],
});

export const chatClientEvents = {
  /** Sends a message to a room that the participant is in; see sendMessage. */
  message: clientEvent(inRoom({ message: messageText, clientId: clientMessageId.optional() }), z.object({ message }), [
    'not_in_room',
    'not_found',
    'not_a_member',
    'conflict',
  ]),
  /** For clients that tell the room after they sent by a call. It is accepted without effect: the server has told the room. */
  'message created': clientEvent(z.looseObject({}), done),
  /** The sender is typing in the room. Passed on once a second at most. */
  typing: clientEvent(z.looseObject({ channelId: channelId.optional() }), done, ['not_in_room']),
};

export const chatServerEvents = {
  /** To everyone in the room: a new message. They get no other event about it: onSendMessage is for the others. */
  messageResponse: serverEvent(message),
  /** To the channel's members who are not in its room: it has a new message, with the contents of a notification. */
  onSendMessage: serverEvent(
    z.object({
      channelId,
      channelName: z.string(),
      id: messageId,
      number: messageNumber,
      userId,
      user: message.shape.user,
      textMsg: z.string(),
      hasImage: z.boolean(),
    }),
  ),
  /** To everyone in the room, and to the channel's members elsewhere: a message was deleted. It no longer counts as unread. */
  'room message changed': serverEvent(
    z.object({ channelId, id: messageId, number: messageNumber, deleted: z.literal(true) }),
  ),
  /** To all sockets of one user: they have read up to here, on whichever device. */
  messages_read: serverEvent(z.object({ channelId, readUpTo: mark, unread })),
  /** To the others in the room: this user is typing. */
  typingResponse: serverEvent(z.object({ channelId, userId, name: z.string() })),
};

/** A file's name as it is stored: without path, NUL and halves of characters, and cleaned like every name. */
export const fileName = z.string().transform((name) => {
  const clean = cleanName(name.replace(/^.*[\\/]/su, '').replace(/[\0\p{Cs}]/gu, '')).trim();
  // The limit may cut a character or a sequence of emoji in half.
  return cleanName(clean.slice(0, FILE_NAME_MAX_LENGTH).replace(/\p{Cs}$/u, ''));
});
