import type { Channel } from '@pressel/contract/channels';
import { lazy, type ReactNode, Suspense } from 'react';
import { part } from '#src/shared/renewal.ts';

const loadGuestLinks = part(() => import('#src/features/guests/guest-links-dialog.tsx'));
const GuestLinksDialog = lazy(async () => ({ default: (await loadGuestLinks()).GuestLinksDialog }));

/** The guest links of a channel of a list, loaded when they are asked for. */
export const guestLinksOf = (channel: Channel, onClose: () => void): ReactNode => (
  <Suspense fallback={null}>
    <GuestLinksDialog channel={channel} isOpen onClose={onClose} />
  </Suspense>
);
