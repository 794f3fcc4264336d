import type { Feature, Platform } from '#src/platform/platform.ts';
import { createSignedPaths } from '#src/shared/signed-paths.ts';
import { chatEvents } from './chat.events.ts';
import { createChatLimits } from './chat.limits.ts';
import { chatRoutes } from './chat.routes.ts';
import { createInOrder } from './in-order.ts';
import { createLive } from './live.ts';
import { createMessagesService } from './messages.service.ts';
import { createReadingService } from './reading.service.ts';

export function chatFeature(platform: Platform): Feature {
  const { db, serve, sockets, record, secrets, steadyNow, now } = platform;
  const { sign } = createSignedPaths(secrets.messagePaths, now);
  const limits = createChatLimits(platform.limit);
  const live = createLive(sockets);
  const reading = createReadingService({ db, record, live, now });
  const inOrder = createInOrder(platform.locks, steadyNow);
  const dropFiles = async () => undefined;
  const messages = createMessagesService({ db, record, live, inOrder, sign, reading, dropFiles, now });
  chatRoutes(serve, { messages, reading, limits });
  sockets.onConnect(chatEvents(sockets.on, { messages, live, limits, steadyNow }));
  return { api: undefined };
}
