import { TYPING_EVERY_MS } from '@pressel/contract/limits';
import * as z from 'zod';
import { keepSwept, whileNoBackup } from '#src/files/owned-files.ts';
import { createSignedPaths } from '#src/http/signed-paths.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { type EnteredRoom, type ListenOn, roomOf, type Socket } from '#src/sockets/sockets.ts';
import { type ChatLimits, chatFileRoutes, chatRoutes, createChatLimits } from './chat.routes.ts';
import { createImagesService } from './images.service.ts';
import { createMessageBroadcast, type MessageBroadcast, presentMessage } from './message-broadcast.ts';
import { createMessageFiles } from './message-files.store.ts';
import { createMessageUpkeep } from './message-upkeep.ts';
import { createInsertMessage, knownNames, type MessageRow } from './messages.repository.ts';
import { createMessagesService } from './messages.service.ts';
import { createReadingService, type ReadingService } from './reading.service.ts';
import { createSending, type Sending } from './sending.ts';

interface ChatEventDeps {
  sending: Pick<Sending, 'send'>;
  broadcast: Pick<MessageBroadcast, 'typing'>;
  limits: ChatLimits;
  /** A monotonic clock, ms. */
  steadyNow: () => number;
}

function chatEvents(on: ListenOn, { sending, broadcast, limits, steadyNow }: ChatEventDeps): (socket: Socket) => void {
  const typedAt = new WeakMap<EnteredRoom, number>();
  return (socket) => {
    on(socket, 'message', async ({ message: text, clientId, channelId: named }) => {
      const { id: channelId } = roomOf(socket, named);
      const { session } = socket.data;
      await limits.messages.take(session.userId);
      const { message } = await sending.send(session, { channelId, text, clientId });
      return { message };
    });
    on(socket, 'message created', async () => ({}));
    on(socket, 'typing', async ({ channelId }) => {
      const enteredRoom = roomOf(socket, channelId);
      if (steadyNow() - (typedAt.get(enteredRoom) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return {};
      typedAt.set(enteredRoom, steadyNow());
      broadcast.typing(socket, enteredRoom.id);
      return {};
    });
  };
}

/** The processes tell each other who sent a message, so that they know who is far from the limit. */
const SENT = 'messages_sent';
const sent = z.object({ userId: z.string() });

/** How often to look for messages that are too old, and to compact what was read, ms. */
const EXPIRE_EVERY_MS = 3_600_000;
const COMPACT_EVERY_MS = 86_400_000;

export interface ChatNeeds {
  /** Whether no other process works on the same files. */
  isAlone: boolean;
  /** Null: messages are kept until somebody deletes them. */
  retentionDays: number | null;
}

/** The API for the dashboard and the erasure of history. */
export type ChatApi = Pick<ReadingService, 'unreadCounts' | 'erase'>;

export function chatFeature(platform: Platform, needs: ChatNeeds): Feature<ChatApi> {
  const { db, serve, sockets, hosts, record, recordWithin, secrets, images: makers, steadyNow, now, log } = platform;
  const paths = createSignedPaths(secrets.messagePaths, now);
  const files = createMessageFiles({
    store: platform.files,
    key: secrets.messagePaths,
    known: (names) => knownNames(db, names),
    whileNoBackup: (remove) => whileNoBackup(db, remove),
    now,
    log,
  });
  // Files go after their rows, when the messages are gone for everybody.
  const dropFiles = files.discard;
  const limits = createChatLimits(platform.limit);
  const broadcast = createMessageBroadcast(sockets);
  const relay = platform.shared?.relay ?? null;
  relay?.on(SENT, sent, ({ userId }) => limits.messages.heard(userId));
  /** Told together with the message, so that it needs no entry of its own. */
  const created: typeof broadcast.created = (message, channelName) => {
    broadcast.created(message, channelName);
    relay?.send(SENT, { userId: message.userId } satisfies z.infer<typeof sent>);
  };
  const reading = createReadingService({ db, record, broadcast, now });
  const present = (row: MessageRow) => presentMessage(row, paths.sign);
  const sending = createSending({
    db,
    insertMessage: createInsertMessage(recordWithin),
    broadcast: { created },
    hosts,
    present,
    now,
  });
  const messages = createMessagesService({ db, record, broadcast, hosts, present, reading, dropFiles, now });
  const upkeep = createMessageUpkeep({ db, retentionDays: needs.retentionDays, dropFiles, now });
  const images = createImagesService({ db, images: makers, files, paths, sending });
  chatRoutes(serve, { messages, sending, reading, images, limits, metrics: platform.metrics });
  chatFileRoutes(platform.http, images);
  sockets.onConnect(chatEvents(sockets.on, { sending, broadcast, limits, steadyNow }));
  return {
    api: reading,
    async start() {
      await keepSwept(files, { schedule: platform.schedule, log, name: 'file_sweep', isAlone: needs.isAlone });
      platform.schedule.every(EXPIRE_EVERY_MS, 'message_expiry', upkeep.expire, { by: 'one' }).soon();
      platform.schedule.every(COMPACT_EVERY_MS, 'reads_compaction', upkeep.compactReads, { by: 'one' }).soon();
    },
  };
}
