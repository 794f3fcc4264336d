import { lazy, Suspense } from 'react';
import { useCalls } from '#src/features/calls/call-context.tsx';
import type { CallDesk, CallParts } from '#src/features/calls/call-desk.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';

/** Loaded with the first call. Without it calls ring and can't be taken; all else goes on. */
const CallPanel = lazy(async () => {
  const loaded = await import('#src/features/calls/call-panel.tsx').catch(() => undefined);
  return { default: loaded?.CallPanel ?? NoPanel };
});
const NoPanel = () => null;

/** Where a one-to-one call is shown, on every page of who is signed in. */
export function CallSlot({ desk }: { desk: CallDesk }) {
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
