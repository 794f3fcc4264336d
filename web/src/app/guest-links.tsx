import type { Channel } from '@pressel/contract/channels';
import type { ComponentProps, ReactNode } from 'react';
import type { GuestLinksDialog } from '#src/features/guests/guest-links-dialog.tsx';
import { lazyPart } from '#src/shared/lazy-part.ts';
import { PartOver } from '#src/shared/ui/part.tsx';

const LazyDialog = lazyPart(async () => (await import('#src/features/guests/guest-links-dialog.tsx')).GuestLinksDialog);

/** The guest links of a channel, loaded on first use. */
export function GuestLinks(props: ComponentProps<typeof GuestLinksDialog>) {
  return (
    <PartOver isOpen={props.isOpen} onClose={props.onClose}>
      <LazyDialog {...props} />
    </PartOver>
  );
}

export const guestLinksOf = (channel: Channel, isOpen: boolean, onClose: () => void): ReactNode => (
  <GuestLinks channel={channel} isOpen={isOpen} onClose={onClose} />
);
