import { lazyComponent } from '#src/shared/lazy-component.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import { useCalls } from './call-context.tsx';
import type { CallController, CallParts } from './call-controller.ts';

/** Loaded with the first call. If it can't be loaded, calls ring but can't be taken; everything else works. */
const CallPanel = lazyComponent(async () => (await import('./call-panel.tsx')).CallPanel);

/** Shows a one-to-one call, on every page, while somebody is signed in. */
export function CallSlot({ controller }: { controller: CallController }) {
  const { call } = useCalls(controller);
  if (!call.isDialogShown) return null;
  return (
    // If the panel fails, the user can end the call here, because a microphone may be open.
    <LazyOverlay isOpen onClose={controller.leave}>
      <CallPanel controller={controller} />
    </LazyOverlay>
  );
}

/** Loads the code for calls; users who are never called don't load it. */
export async function loadCallParts(realtime: Realtime, storage: AppStorage): Promise<CallParts> {
  const { createCallParts } = await import('./call-parts.ts');
  return createCallParts(realtime, storage);
}
