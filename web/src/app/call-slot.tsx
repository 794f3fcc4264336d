import { type ComponentType, lazy, Suspense } from 'react';
import { useCalls } from '#src/features/calls/call-context.tsx';
import type { CallDesk, CallParts } from '#src/features/calls/call-desk.ts';
import type { CallPanelProps } from '#src/features/calls/call-panel.tsx';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';

interface CallSlotProps {
  desk: CallDesk;
}

/** Loaded with the first call. Without it calls ring and can't be taken; all else goes on. */
const CallPanel = lazy(async (): Promise<{ default: ComponentType<CallSlotProps> }> => {
  const loading = [
    import('#src/features/calls/call-panel.tsx'),
    import('#src/features/voice/tiles/video-picture.tsx'),
  ] as const;
  const loaded = await Promise.all(loading).catch(() => undefined);
  if (loaded === undefined) return { default: NoPanel };
  const [{ CallPanel }, { VideoPicture }] = loaded;
  return { default: withPictures(CallPanel, VideoPicture) };
});
/** The voice engine's pictures for the call's panel, which knows no other feature. */
const withPictures =
  (Panel: ComponentType<CallPanelProps>, Picture: CallPanelProps['Picture']) =>
  ({ desk }: CallSlotProps) => <Panel desk={desk} Picture={Picture} />;
const NoPanel = () => null;

/** Where a one-to-one call is shown, on every page of who is signed in. */
export function CallSlot({ desk }: CallSlotProps) {
  const { call } = useCalls(desk);
  if (!call.isDialogShown) return null;
  return (
    <Suspense fallback={null}>
      <CallPanel desk={desk} />
    </Suspense>
  );
}

/** Nobody who is never called loads it. */
export async function loadCallParts(realtime: Realtime, storage: AppStorage): Promise<CallParts> {
  const { createCallParts } = await import('./call-parts.ts');
  return createCallParts(realtime, storage);
}
