import type { PrepareImage } from '#src/shared/images/prepare.ts';
import type { ImageFault, PreparedImage } from '#src/shared/images/shrink.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';

/** That an image is too large is said for this long (spec §5), ms. */
export const SIZE_FAULT_MS = 3_000;

export type ChoiceFault = ImageFault | 'many';
export type ChoiceState =
  | { state: 'empty'; fault: ChoiceFault | undefined }
  | { state: 'preparing'; name: string }
  | { state: 'ready'; image: PreparedImage; name: string };

/** The choice of one image to send. */
export interface ImageChoice extends SnapshotSource<ChoiceState> {
  /** Takes the only one of these files; of several none is taken. */
  take(files: readonly File[]): void;
  close(): void;
}

export function openImageChoice(prepare: PrepareImage): ImageChoice {
  const listeners = createListeners();
  let snapshot: ChoiceState = { state: 'empty', fault: undefined };
  let preparing: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const set = (next: ChoiceState): void => {
    clearTimeout(timer);
    snapshot = next;
    listeners.tell();
  };
  const refuse = (fault: ChoiceFault): void => {
    set({ state: 'empty', fault });
    if (fault === 'size') timer = setTimeout(() => set({ state: 'empty', fault: undefined }), SIZE_FAULT_MS);
  };
  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    take(files) {
      const [file] = files;
      if (file === undefined) return;
      preparing?.abort();
      if (files.length > 1) {
        refuse('many');
        return;
      }
      const current = new AbortController();
      preparing = current;
      set({ state: 'preparing', name: file.name });
      void prepare(file, current.signal).then((result) => {
        // Another one was chosen meanwhile, or none is wanted any more.
        if (current.signal.aborted) return;
        if (result.ok) set({ state: 'ready', image: result.image, name: file.name });
        else refuse(result.fault);
      });
    },
    close() {
      preparing?.abort();
      clearTimeout(timer);
    },
  };
}
