import type { ComponentType } from 'react';
import { useCalls } from '#src/features/calls/call-context.tsx';
import type { CallDesk, CallParts } from '#src/features/calls/call-desk.ts';
import type { CallPanelProps } from '#src/features/calls/call-panel.tsx';
import { lazyPart } from '#src/shared/lazy-part.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import { PartOver } from '#src/shared/ui/part.tsx';

interface CallSlotProps {
  desk: CallDesk;
}

/** Loaded with the first call. If it can't be loaded, calls ring but can't be taken; everything else works. */
const CallPanel = lazyPart(async () => {
  const loading = [
    import('#src/features/calls/call-panel.tsx'),
    import('#src/features/voice/tiles/video-picture.tsx'),
  ] as const;
  const [{ CallPanel }, { VideoPicture }] = await Promise.all(loading);
  return withPictures(CallPanel, VideoPicture);
});
/** Gives the voice engine's pictures to the call's panel, which knows no other feature. */
const withPictures =
  (Panel: ComponentType<CallPanelProps>, Picture: CallPanelProps['Picture']) =>
  ({ desk }: CallSlotProps) => <Panel desk={desk} Picture={Picture} />;

/** Shows a one-to-one call, on every page, while somebody is signed in. */
export function CallSlot({ desk }: CallSlotProps) {
  const { call } = useCalls(desk);
  if (!call.isDialogShown) return null;
  return (
    // If the panel fails, the user can end the call here, because a microphone may be open.
    <PartOver isOpen onClose={desk.leave}>
      <CallPanel desk={desk} />
    </PartOver>
  );
}

/** Loads the code for calls; users who are never called don't load it. */
export async function loadCallParts(realtime: Realtime, storage: AppStorage): Promise<CallParts> {
  const { createCallParts } = await import('./call-parts.ts');
  return createCallParts(realtime, storage);
}
