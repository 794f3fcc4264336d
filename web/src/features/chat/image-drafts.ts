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

/** That an image is too large is said for this long (spec §5), ms. */
export const SIZE_FAULT_MS = 3_000;
/** Channels whose images are kept on the device, for each user: 20 MB at most. The image chosen longest ago goes first. */
export const KEPT_CHANNELS = 20;

export type ChoiceFault = ImageFault | 'many';
/** `id` tells whether another tab has the same image or chose another one. */
export type ChosenImage = PreparedImage & { id: string; name: string };

export interface DraftSnapshot {
  /** The file's name while it is being prepared. */
  preparing: string | undefined;
  image: ChosenImage | undefined;
  /** Why the file that was chosen last isn't taken; an image that was chosen before stays. */
  fault: ChoiceFault | undefined;
  caption: string;
}

/** The image that is to be sent to a channel, and its words, until they are sent or given up [CHATS46]. */
export interface ImageDraft extends SnapshotSource<DraftSnapshot> {
  /** Takes the only one of these files; of several none is taken. */
  take(files: readonly File[]): void;
  write(caption: string): void;
  /** It was sent, or is not wanted any more. */
  clear(): void;
}

/** The images that a user has chosen and not sent. */
export interface ImageDrafts {
  of(channelId: ChannelId): ImageDraft;
  close(): void;
}

export interface ImageDraftsDeps {
  userId: string;
  prepare: PrepareImage;
  /** The page that asks before it is left while the device lacks an image. */
  page?: Pick<Window, 'addEventListener' | 'removeEventListener'>;
}

const EMPTY: DraftSnapshot = { preparing: undefined, image: undefined, fault: undefined, caption: '' };

/** `size`: of the image in pixels; null: as it was chosen, to be prepared again. */
const keptImage = z.object({
  id: z.string(),
  blob: z.instanceof(Blob),
  name: z.string(),
  size: z.object({ width: z.int().positive(), height: z.int().positive() }).nullable(),
});
type KeptImage = z.infer<typeof keptImage>;

const IMAGES = 'image.';
// Apart from the image, which would be written anew with each letter.
const captionOf = (channelId: string) => `caption.${channelId}`;

/** What tabs tell each other: the draft of this channel has changed on the device. */
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
  /** Takes over what the device has. */
  load(): void;
  /** Whether the device could not keep what is here. */
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
  /** Counts what happens here: what was read before is older. */
  let changes = 0;
  let preparing: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What the device could not keep: a full one may still take the words of an image that it refused. */
  const lacking = new Set<string>();
  let isClosed = false;

  const set = (change: Partial<DraftSnapshot>): void => {
    clearTimeout(timer);
    snapshot = { ...snapshot, ...change };
    listeners.tell();
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
  /** Brings the device to what is here, whatever was written meanwhile. */
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
    // Another one was chosen meanwhile, or none is wanted any more.
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
      // What was done here meanwhile is newer, and what the device lacks is here alone.
      if (isClosed || lacking.size > 0 || changes !== before || preparing !== undefined) return;
      takeOver(keptImage.safeParse(stored).data, z.string().catch('').parse(caption));
    } catch {
      // The device can't: what is chosen here lasts as long as the page.
    }
  };
  /** Takes over what was read. The image that is shown already stays: the device gives another blob each time. */
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
      const name = fileName.parse(file.name);
      // Before it is prepared, which takes a while on a phone. What is too large is not taken anyway.
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
