import type { Channel } from '@pressel/contract/channels';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import type { GuestLinksDialog } from '#src/features/guests/guest-links-dialog.tsx';
import { part } from '#src/shared/renewal.ts';

const loadDialog = part(() => import('#src/features/guests/guest-links-dialog.tsx'));
const LazyDialog = lazy(async () => ({ default: (await loadDialog()).GuestLinksDialog }));

/** The guest links of a channel, loaded when they are asked for. */
export function GuestLinks(props: ComponentProps<typeof GuestLinksDialog>) {
  return (
    <Suspense fallback={null}>
      <LazyDialog {...props} />
    </Suspense>
  );
}

export const guestLinksOf = (channel: Channel, isOpen: boolean, onClose: () => void): ReactNode => (
  <GuestLinks channel={channel} isOpen={isOpen} onClose={onClose} />
);
