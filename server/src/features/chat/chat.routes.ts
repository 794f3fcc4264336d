import {
  deleteMessage,
  getChannelMessages,
  getMessageReaders,
  getUnreadCounts,
  markMessagesRead,
  searchMessages,
  sendMessage,
  uploadFile,
} from '@pressel/contract/chat';
import type { FastifyInstance } from 'fastify';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import { IMAGE_TYPE } from '#src/images/images.ts';
import { createGate } from '#src/limits/gate.ts';
import { LIMITS } from '#src/limits/limits.ts';
import { createHastyLimit, type HastyLimit, type RateLimit } from '#src/limits/rate-limit.ts';
import type { Metrics } from '#src/logs/metrics.ts';
import type { Platform } from '#src/platform/platform.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { ImagesService } from './images.service.ts';
import { MESSAGE_FILES_PATH } from './message-files.store.ts';
import type { MessagesService } from './messages.service.ts';
import type { ReadingService } from './reading.service.ts';
import type { Sending } from './sending.ts';

/** Limits of one user, over all of their sessions and sockets. */
export interface ChatLimits {
  messages: HastyLimit;
  uploads: RateLimit;
  deletions: RateLimit;
  searches: RateLimit;
  pages: RateLimit;
  marks: RateLimit;
}

export const createChatLimits = (limit: Platform['limit']): ChatLimits => ({
  messages: createHastyLimit(limit('chat.messages'), LIMITS['chat.messages']),
  uploads: limit('chat.uploads'),
  deletions: limit('chat.deletions'),
  searches: limit('chat.searches'),
  pages: limit('chat.pages'),
  marks: limit('chat.marks'),
});

export interface ChatRouteDeps {
  messages: MessagesService;
  sending: Pick<Sending, 'send'>;
  reading: ReadingService;
  images: ImagesService;
  limits: ChatLimits;
  metrics: Pick<Metrics, 'queue'>;
}

/** Few searches run at once, so that connections are left for everything else: each looks at every message of a channel. */
const SEARCHES_AT_ONCE = 2;
const SEARCHES_WAITING_MAX = 50;
const RETRY_AFTER_SECONDS = 2;

export function chatRoutes(
  serve: ServeCall,
  { messages, sending, reading, images, limits, metrics }: ChatRouteDeps,
): void {
  const searching = createGate({
    atOnce: SEARCHES_AT_ONCE,
    waiting: SEARCHES_WAITING_MAX,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  metrics.queue('searches', searching.waiting);

  serve(getChannelMessages, async (body, { session }) => {
    await limits.pages.take(session.userId);
    return { success: true as const, ...(await messages.history(session, body)) };
  });

  serve(searchMessages, async (body, { session, signal }) => {
    await limits.searches.take(session.userId);
    return {
      success: true as const,
      ...(await searching.run(session.userId, () => messages.search(session, body), signal)),
    };
  });

  serve(sendMessage, async ({ userId, channelId, message: text, clientId }, { session }) => {
    requireSelf(session, userId);
    await limits.messages.take(session.userId);
    const { message } = await sending.send(session, { channelId, text, clientId });
    return { success: true as const, message };
  });

  serve(uploadFile, async ({ userId, channelId, textMsg: text, clientId }, { session, file, signal }) => {
    requireSelf(session, userId);
    if (file === null) throw new AppError('malformed');
    await limits.uploads.take(session.userId);
    const message = await images.send(session, { channelId, text, clientId, file }, signal);
    return { success: true as const, message };
  });

  serve(deleteMessage, async ({ msgId }, { session }) => {
    await limits.deletions.take(session.userId);
    await messages.remove(session, msgId);
    return { success: true as const };
  });

  serve(markMessagesRead, async (body, { session }) => {
    await limits.marks.take(session.userId);
    return { success: true as const, ...(await reading.mark(session, body)) };
  });

  serve(getMessageReaders, async ({ msgId }) => ({ success: true as const, ...(await reading.readers(msgId)) }));

  serve(getUnreadCounts, async (_body, { session }) => ({
    success: true as const,
    res: await reading.unreadCounts(session),
  }));
}

export function chatFileRoutes(app: FastifyInstance, images: Pick<ImagesService, 'read'>): void {
  app.get<{ Params: { file: string } }>(`${MESSAGE_FILES_PATH}:file`, async (request, reply) => {
    const { stream, bytes, fileName, secondsLeft } = await images.read(request.params.file, request.query);
    return reply
      .headers({
        'content-type': IMAGE_TYPE,
        'content-length': bytes,
        'content-disposition': `inline; filename*=UTF-8''${encoded(fileName)}`,
        'cache-control': `private, max-age=${secondsLeft}, immutable`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
      .send(stream);
  });
}

/** Encodes as RFC 8187 does: encodeURIComponent leaves some characters that are not allowed there. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/gu, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
