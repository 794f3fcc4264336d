import type { ChannelId } from '@pressel/contract/ids';
import type { Api } from '#src/shared/api/api.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import { type AlertChoices, createAlertChoices } from './alert-choices.ts';
import type { OpenOutbox, OutboxPage } from './browser-outbox.ts';
import type { ImageDrafts } from './image-drafts.ts';
import type { Outbox } from './outbox.ts';
import { createUnreadCounts, type UnreadCounts } from './unread.ts';

/**
 * Messages that wait from an earlier visit are sent this long after the link is up, so that opening a page loads no
 * more, ms.
 */
const START_MS = 2_000;

/** The signed-in user's side of all chats, on every page. The snapshot is the outbox, once it is loaded. */
export interface Chat extends SnapshotSource<Outbox | undefined> {
  unread: UnreadCounts;
  /** The channel whose messages the user looks at in this tab. */
  looking: SnapshotSource<ChannelId | undefined> & { set(channelId: ChannelId | undefined): void };
  /** Alert choices by channel. */
  alerts: AlertChoices;
  /** Opens the only outbox. */
  openOutbox(open: OpenOutbox): void;
  /** Images that are chosen and not sent; the first component that shows them opens them. */
  imageDrafts(open: OpenImageDrafts): ImageDrafts;
  close(): void;
}

export interface ChatDeps extends Omit<OutboxPage, 'storage'> {
  storage: OutboxPage['storage'] & Pick<AppStorage, 'readPreference' | 'writePreference'>;
  api: Api;
  realtime: Realtime;
  isAdmin: () => boolean;
  /** Replaces the outbox; tests pass a fake. */
  opensOutbox?: OpenOutbox;
}

export type OpenImageDrafts = (page: Pick<OutboxPage, 'userId'>) => ImageDrafts;

const loadBrowserOutbox = async (): Promise<OpenOutbox> => (await import('./browser-outbox.ts')).openBrowserOutbox;

export function createChat({ api, realtime, userId, storage, isAdmin, opensOutbox }: ChatDeps): Chat {
  const listeners = createListeners();
  const lookers = createListeners();
  let lookedAt: ChannelId | undefined;
  const unread = createUnreadCounts({ api, realtime, userId, isAdmin });
  let outbox: Outbox | undefined;
  let imageDrafts: ImageDrafts | undefined;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const openOutbox = (open: OpenOutbox): void => {
    if (isClosed || outbox !== undefined) return;
    outbox = (opensOutbox ?? open)({ api, realtime, userId, storage });
    listeners.notify();
  };
  const loadOutbox = (): void => {
    void loadBrowserOutbox().then(openOutbox, () => {
      // The code could not be loaded: the page tries again when the link is back, and the next room brings it along.
      timer = undefined;
    });
  };
  const stop = realtime.onLink((link) => {
    if (link === 'up') timer ??= setTimeout(loadOutbox, START_MS);
  });

  return {
    unread,
    alerts: createAlertChoices(storage),
    looking: {
      getSnapshot: () => lookedAt,
      subscribe: lookers.add,
      set(channelId) {
        lookedAt = channelId;
        lookers.notify();
      },
    },
    openOutbox,
    imageDrafts(open) {
      imageDrafts ??= open({ userId });
      return imageDrafts;
    },
    getSnapshot: () => outbox,
    subscribe: listeners.add,
    close() {
      isClosed = true;
      clearTimeout(timer);
      stop();
      unread.close();
      outbox?.close();
      imageDrafts?.close();
    },
  };
}
