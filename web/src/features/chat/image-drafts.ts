import { fileName } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { IMAGE_PICKED_MAX_BYTES } from '@pressel/contract/limits';
import { z } from '@pressel/contract/zod';
import { draftDatabase } from '#src/shared/draft-database.ts';
import type { PrepareImage } from '#src/shared/images/prepare.ts';
import type { ImageFault, PreparedImage } from '#src/shared/images/shrink.ts';
import { createListeners } from '#src/shared/listeners.ts';
import { randomId } from '#src/shared/random-id.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';

/** The message that an image is too large is shown for this long (spec §5), ms. */
export const SIZE_FAULT_MS = 3_000;
/**
 * Maximum number of channels whose images the device keeps, for each user: at most 20 MB. The oldest choice goes first.
 */
export const KEPT_CHANNELS = 20;

export type ChoiceFault = ImageFault | 'many';
/** `id` tells whether another tab has the same image or chose another one. */
export type ChosenImage = PreparedImage & { id: string; name: string };

export interface DraftSnapshot {
  /** The file's name while it is being prepared. */
  preparing: string | undefined;
  image: ChosenImage | undefined;
  /** Why the last chosen file isn't taken; an image that was chosen before stays. */
  fault: ChoiceFault | undefined;
  caption: string;
}

/** The image that the user wants to send to a channel, with its caption, until it is sent or given up [CHATS46]. */
export interface ImageDraft extends SnapshotSource<DraftSnapshot> {
  /** Takes a single file; takes none of several. */
  take(files: readonly File[]): void;
  write(caption: string): void;
  /** Called when the image was sent or is no longer wanted. */
  clear(): void;
}

/** A user's chosen images that are not sent yet. */
export interface ImageDrafts {
  of(channelId: ChannelId): ImageDraft;
  close(): void;
}

export interface ImageDraftsDeps {
  userId: string;
  prepare: PrepareImage;
  /** The page that asks before the user leaves it while the device lacks an image. */
  page?: Pick<Window, 'addEventListener' | 'removeEventListener'>;
}

const EMPTY: DraftSnapshot = { preparing: undefined, image: undefined, fault: undefined, caption: '' };

/** `size`: the image's size in pixels; null for an image stored as it was chosen, which has to be prepared again. */
const keptImage = z.object({
  id: z.string(),
  blob: z.instanceof(Blob),
  name: z.string(),
  size: z.object({ width: z.int().positive(), height: z.int().positive() }).nullable(),
});
type KeptImage = z.infer<typeof keptImage>;

const IMAGES = 'image.';
// Stored apart from the image, which would otherwise be written again with each letter.
const captionOf = (channelId: string) => `caption.${channelId}`;

/** A message between tabs: the draft of this channel has changed on the device. */
const news = z.object({ userId: z.string(), channelId: z.string() });

export function openImageDrafts({ userId, prepare, page = window }: ImageDraftsDeps): ImageDrafts {
  const drafts = new Map<string, OpenDraft>();
  let isClosed = false;
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('pressel.drafts') : undefined;
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const told = news.safeParse(data).data;
    if (told?.userId === userId) drafts.get(told.channelId)?.load();
  });
  const ask = (event: Event): void => {
    if ([...drafts.values()].some(({ isLacking }) => isLacking())) event.preventDefault();
  };
  page.addEventListener('beforeunload', ask);
  return {
    of(channelId) {
      const known = drafts.get(channelId);
      if (known !== undefined) return known;
      const post = () => {
        if (!isClosed) channel?.postMessage({ userId, channelId });
      };
      const opened = openDraft({ channelId, userId, prepare, post });
      drafts.set(channelId, opened);
      opened.load();
      return opened;
    },
    close() {
      isClosed = true;
      page.removeEventListener('beforeunload', ask);
      channel?.close();
      for (const draft of drafts.values()) draft.close();
    },
  };
}

interface OpenDraft extends ImageDraft {
  /** Takes over the draft that the device has. */
  load(): void;
  /** Whether the device could not keep this draft. */
  isLacking(): boolean;
  close(): void;
}

interface OpenDraftDeps extends Pick<ImageDraftsDeps, 'userId' | 'prepare'> {
  channelId: ChannelId;
  /** Tells the other tabs. */
  post: () => void;
}

function openDraft({ channelId, userId, prepare, post }: OpenDraftDeps): OpenDraft {
  const listeners = createListeners();
  const imageKey = `${IMAGES}${channelId}`;
  const captionKey = captionOf(channelId);
  let snapshot = EMPTY;
  /** Counts changes on this page: a draft that was read before the last change is older. */
  let changes = 0;
  let preparing: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /**
   * Parts of the draft that the device could not keep: a full device may refuse an image and still take its caption.
   */
  const lacking = new Set<string>();
  let isClosed = false;

  const set = (change: Partial<DraftSnapshot>): void => {
    clearTimeout(timer);
    snapshot = { ...snapshot, ...change };
    listeners.notify();
    if (snapshot.fault === 'size') timer = setTimeout(() => set({ fault: undefined }), SIZE_FAULT_MS);
  };

  const keep = (name: string, write: Promise<unknown>): Promise<unknown> =>
    write.then(
      () => lacking.delete(name),
      () => lacking.add(name),
    );
  const keepImage = async (image: KeptImage): Promise<void> => {
    await draftDatabase.put(imageKey, userId, image);
    const gone = await draftDatabase.keepNewest(IMAGES, userId, KEPT_CHANNELS);
    await Promise.all(gone.map((name) => forget(captionOf(name.slice(IMAGES.length)))));
  };
  const forget = (name: string) => draftDatabase.remove(name, userId, () => true);
  /** Writes the current draft to the device, whatever was written meanwhile. */
  const keepAsShown = async (): Promise<void> => {
    const { image } = snapshot;
    if (image === undefined) {
      await Promise.all([keep(imageKey, forget(imageKey)), keep(captionKey, forget(captionKey))]);
    } else {
      const { id, name, blob, width, height } = image;
      await keep(imageKey, keepImage({ id, name, blob, size: { width, height } }));
    }
    post();
  };

  const begin = async (file: Blob, name: string, id: string): Promise<void> => {
    preparing?.abort();
    const current = new AbortController();
    preparing = current;
    set({ preparing: name, fault: undefined });
    const result = await prepare(file, current.signal);
    // Another image was chosen meanwhile, or none is wanted any more.
    if (current.signal.aborted) return;
    preparing = undefined;
    if (result.ok) set({ preparing: undefined, image: { ...result.image, id, name } });
    else set({ preparing: undefined, fault: result.fault });
    await keepAsShown();
  };

  const load = async (): Promise<void> => {
    const before = changes;
    try {
      const [stored, caption] = await Promise.all([
        draftDatabase.get(imageKey, userId),
        draftDatabase.get(captionKey, userId),
      ]);
      // Changes made here meanwhile are newer, and parts that the device lacks exist only here.
      if (isClosed || lacking.size > 0 || changes !== before || preparing !== undefined) return;
      takeOver(keptImage.safeParse(stored).data, z.string().catch('').parse(caption));
    } catch {
      // The device can't: the choice lasts as long as the page.
    }
  };
  /**
   * Takes over the draft that was read. An image that is shown already stays: the device gives another blob each time.
   */
  const takeOver = (kept: KeptImage | undefined, caption: string): void => {
    if (kept === undefined) {
      if (snapshot.image !== undefined) set({ image: undefined, caption: '' });
      return;
    }
    const { id, name, blob, size } = kept;
    set({ caption });
    if (size === null) void begin(blob, name, id);
    else if (snapshot.image?.id !== id) set({ image: { id, name, blob, ...size } });
  };

  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    take(files) {
      const [file] = files;
      if (file === undefined) return;
      if (files.length > 1) {
        set({ fault: 'many' });
        return;
      }
      changes += 1;
      const id = randomId();
      const name = fileName().parse(file.name);
      // Kept before it is prepared, which takes a while on a phone. A file that is too large is not taken anyway.
      if (file.size <= IMAGE_PICKED_MAX_BYTES) {
        void keep(imageKey, keepImage({ id, name, blob: file, size: null }));
      }
      void begin(file, name, id);
    },
    write(caption) {
      changes += 1;
      set({ caption });
      void keep(captionKey, draftDatabase.put(captionKey, userId, caption)).then(post);
    },
    clear() {
      changes += 1;
      preparing?.abort();
      preparing = undefined;
      set(EMPTY);
      void keepAsShown();
    },
    load: () => void load(),
    isLacking: () => lacking.size > 0 && (snapshot.image !== undefined || snapshot.preparing !== undefined),
    close() {
      isClosed = true;
      preparing?.abort();
      clearTimeout(timer);
    },
  };
}
