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
import { onDemand, z } from './zod.ts';

export const messageId = z
  .uuid()
  .toLowerCase()
  .brand<'MessageId'>()
  .meta({ description: "A message's id (UUID v7, made by the server)." });
export type MessageId = z.infer<typeof messageId>;

export const clientMessageId = z.uuid().toLowerCase().brand<'ClientMessageId'>().meta({
  description:
    "The sender's own id of a message (UUID of any version). The server stores one message per sender and id: a message sent again because its answer was lost is answered with the one that is stored.",
});
export type ClientMessageId = z.infer<typeof clientMessageId>;

export const messageNumber = onDemand(() =>
  z.int().min(1).max(Number.MAX_SAFE_INTEGER).meta({
    description:
      "A message's place in its channel, counted up from 1 without gaps in the order in which messages were stored. Cursors and marks of reading are such numbers; the number of a deleted message is not used again.",
  }),
);
const mark = onDemand(() =>
  z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ description: "Like a message's number; 0 stands before the first message." }),
);
const unread = onDemand(() =>
  z
    .int()
    .min(0)
    .max(UNREAD_MAX)
    .meta({ description: 'How many messages of others somebody has not read, counted up to UNREAD_MAX.' }),
);

const written = onDemand(() =>
  z
    .string()
    .trim()
    .max(MESSAGE_MAX_LENGTH)
    .refine(isStreamSafe, { message: 'unreadable' })
    .meta({ description: 'Text that somebody writes, without the white space around it.' }),
);
export const messageText = onDemand(() =>
  written()
    .refine(isVisible, { message: 'required' })
    .meta({ description: 'Text of a message. Several lines are fine; one that shows nothing is not.' }),
);
const caption = onDemand(() =>
  written().default('').meta({ description: 'Text that goes with an image: may be empty.' }),
);

export const messageFile = onDemand(() =>
  z
    .object({
      path: z.string(),
      fileName: z
        .string()
        .meta({ description: "The file's name on the sender's device, with the ending of the file that is served." }),
      thumbnailPath: z.string().meta({ description: 'A small version, for lists.' }),
      width: z
        .int()
        .positive()
        .meta({ description: "The image's size in pixels, by which a page keeps its place free until it is loaded." }),
      height: z.int().positive(),
      bytes: z.int().positive().meta({ description: "The image's size in bytes." }),
    })
    .meta({ description: 'An image of a message. The paths are signed, and valid for one to two hours.' }),
);
export type MessageFile = z.infer<ReturnType<typeof messageFile>>;

// Specification §3.
export const message = onDemand(() =>
  z
    .object({
      id: messageId,
      channelId,
      number: messageNumber(),
      userId: userId.meta({ description: 'The sender, whose account may be deleted by now; the name stays.' }),
      user: z.object({ display_name: z.string() }),
      textMsg: z.string().meta({ description: 'Empty when an image was sent without words.' }),
      createdAt: instant,
      file: messageFile().nullable(),
      clientId: clientMessageId,
    })
    .meta({ description: 'A message of a channel.' }),
);
export type Message = z.infer<ReturnType<typeof message>>;

export const getChannelMessages = defineCall({
  method: 'POST',
  path: '/user/api/getchannelmessagelistForAdmin',
  access: 'member',
  summary:
    'Messages of a channel, oldest first: the newest ones, or those before or after a number, or around one. For administrators and members of it.',
  body: () =>
    z
      .object({
        channelId,
        before: messageNumber().optional().meta({ description: 'Only messages with a lower number.' }),
        after: mark().optional().meta({ description: 'Only messages with a higher number: the first ones after it.' }),
        around: messageNumber()
          .optional()
          .meta({ description: 'Messages on both sides of this number, and the message itself.' }),
        limit: z.int().min(1).max(MESSAGES_MAX_LIMIT).default(MESSAGES_PAGE),
      })
      .refine(({ before, after, around }) => [before, after, around].filter((one) => one !== undefined).length <= 1, {
        message: 'only_one',
      }),
  reply: () =>
    z.object({
      success: z.literal(true),
      discussion: z.array(message()),
      hasOlder: z
        .boolean()
        .meta({ description: 'Whether there are messages before the first and after the last one of these.' }),
      hasNewer: z.boolean(),
      newest: mark().meta({
        description: 'The highest number that was given in this channel, 0 before the first message.',
      }),
      readUpTo: mark().meta({
        description:
          'The number up to which the caller has read. If they never read here: where it was when they became a member.',
      }),
      unread: unread().meta({ description: 'Messages of others after `readUpTo`.' }),
    }),
  errors: ['not_found', 'not_a_member'],
});

export const searchMessages = defineCall({
  method: 'POST',
  path: '/user/api/searchMessages',
  access: 'member',
  summary:
    'Messages of a channel that contain a text, ignoring case and accents, newest first. For administrators and members of it.',
  body: () =>
    z.object({
      channelId,
      text: z.string().trim().min(1).max(FILTER_MAX_LENGTH),
      before: messageNumber().optional(),
      limit: z.int().min(1).max(MESSAGES_MAX_LIMIT).default(MESSAGES_PAGE),
    }),
  reply: () => z.object({ success: z.literal(true), res: z.array(message()), hasOlder: z.boolean() }),
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
  body: () =>
    z.object({
      userId: userId.optional(),
      channelId,
      message: messageText(),
      clientId: clientMessageId.optional(),
    }),
  reply: () => z.object({ success: z.literal(true), message: message() }),
  errors: ['not_found', 'not_a_member', 'conflict'],
  errorsNote:
    'not_found for a message: it was stored under this clientId and deleted since. conflict: it is in another channel.',
  maxBytes: 4 * MESSAGE_MAX_LENGTH + 1_024,
});

export const uploadFile = defineCall({
  method: 'POST',
  path: '/user/api/uploadFile',
  access: 'member',
  summary:
    'Send an image to a channel, with or without words: multipart/form-data, the fields before the file. It is decoded, stripped of its metadata and stored as WebP.',
  body: () =>
    z
      .object({
        userId: userId.optional(),
        channelId,
        textMsg: caption(),
        clientId: clientMessageId.optional(),
      })
      .meta({ description: 'The fields; `image` is the file.' }),
  file: 'image',
  reply: () => z.object({ success: z.literal(true), message: message() }),
  errors: ['not_found', 'not_a_member', 'conflict'],
  errorsNote:
    'not_found for a message: it was stored under this clientId and deleted since. conflict: it is in another channel.',
  cost: 5,
  maxBytes: IMAGE_BODY_MAX_BYTES,
  work: 'long',
});

export const deleteMessage = defineCall({
  method: 'POST',
  path: '/user/api/deleteMessageById',
  access: 'member',
  summary: 'Delete a message and its image for everybody: an own one, or any as an administrator.',
  body: () => z.object({ msgId: messageId }),
  reply: () => z.object({ success: z.literal(true) }),
  errors: ['not_found', 'forbidden'],
});

export const markMessagesRead = defineCall({
  method: 'POST',
  path: '/user/api/markMessagesRead',
  access: 'member',
  summary:
    'Say that the messages from one number to another were on the screen. The mark of reading moves to the highest one, never back.',
  body: () =>
    z
      .object({ channelId, from: messageNumber(), to: messageNumber() })
      .refine(({ from, to }) => from <= to, { message: 'reversed' }),
  reply: () => z.object({ success: z.literal(true), readUpTo: mark(), unread: unread() }),
  errors: ['not_found', 'not_a_member'],
});

export const getMessageReaders = defineCall({
  method: 'POST',
  path: '/user/api/getMessageReaders',
  access: 'admin',
  summary: 'Who had a message on the screen, and when first; in the order of time. Without its sender.',
  body: () => z.object({ msgId: messageId }),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.array(z.object({ userId, display_name: z.string(), readAt: instant })),
      memberCount: z.int().min(0).meta({ description: "The number of the channel's members now, without the sender." }),
    }),
  errors: ['not_found'],
});

export const getUnreadCounts = defineCall({
  method: 'POST',
  path: '/user/api/getUnreadCounts',
  access: 'member',
  summary:
    'How many messages of others the caller has not read, by channel: the channels they are a member of, without those with nothing unread.',
  body: () => z.object({}),
  reply: () =>
    z.object({
      success: z.literal(true),
      res: z.array(z.object({ channelId, unread: unread().min(1) })),
    }),
  errors: [],
});

export const chatClientEvents = {
  message: clientEvent(
    () =>
      inRoom({ message: messageText(), clientId: clientMessageId.optional() }).meta({
        description: 'Sends a message to a room that the participant is in; see sendMessage.',
      }),
    () => z.object({ message: message() }),
    ['not_in_room', 'not_found', 'not_a_member', 'conflict'],
  ),
  'message created': clientEvent(
    () =>
      z.looseObject({}).meta({
        description:
          'For clients that tell the room after they sent by a call. It is accepted without effect: the server has told the room.',
      }),
    () => done,
  ),
  typing: clientEvent(
    () =>
      z
        .looseObject({ channelId: channelId.optional() })
        .meta({ description: 'The sender is typing in the room. Passed on once a second at most.' }),
    () => done,
    ['not_in_room'],
  ),
};

export const chatServerEvents = {
  messageResponse: serverEvent(() =>
    message().meta({
      description:
        'To everyone in the room: a new message. They get no other event about it: onSendMessage is for the others.',
    }),
  ),
  onSendMessage: serverEvent(() =>
    z
      .object({
        channelId,
        channelName: z.string(),
        id: messageId,
        number: messageNumber(),
        userId,
        user: message().shape.user,
        textMsg: z.string(),
        hasImage: z.boolean(),
      })
      .meta({
        description:
          "To the channel's members who are not in its room: it has a new message, with the contents of a notification.",
      }),
  ),
  'room message changed': serverEvent(() =>
    z.object({ channelId, id: messageId, number: messageNumber(), deleted: z.literal(true) }).meta({
      description:
        "To everyone in the room, and to the channel's members elsewhere: a message was deleted. It no longer counts as unread.",
    }),
  ),
  messages_read: serverEvent(() =>
    z
      .object({ channelId, readUpTo: mark(), unread: unread() })
      .meta({ description: 'To all sockets of one user: they have read up to here, on whichever device.' }),
  ),
  typingResponse: serverEvent(() =>
    z
      .object({ channelId, userId, name: z.string() })
      .meta({ description: 'To the others in the room: this user is typing.' }),
  ),
};

export const fileName = onDemand(() =>
  z
    .string()
    .transform((name) => {
      const clean = cleanName(name.replace(/^.*[\\/]/su, '').replace(/[\0\p{Cs}]/gu, '')).trim();
      // The limit may cut a character or a sequence of emoji in half.
      return cleanName(clean.slice(0, FILE_NAME_MAX_LENGTH).replace(/\p{Cs}$/u, ''));
    })
    .meta({
      description:
        "A file's name as it is stored: without path, NUL and halves of characters, and cleaned like every name.",
    }),
);
