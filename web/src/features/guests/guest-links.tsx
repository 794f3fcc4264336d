import type { Channel } from '@pressel/contract/channels';
import type { ComponentProps, ReactNode } from 'react';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import type { GuestLinksDialog } from './guest-links-dialog.tsx';

const LazyDialog = lazyComponent(async () => (await import('./guest-links-dialog.tsx')).GuestLinksDialog);

/** The guest links of a channel, loaded on first use. */
export function GuestLinks(props: ComponentProps<typeof GuestLinksDialog>) {
  return (
    <LazyOverlay isOpen={props.isOpen} onClose={props.onClose}>
      <LazyDialog {...props} />
    </LazyOverlay>
  );
}

export const guestLinksOf = (channel: Channel, isOpen: boolean, onClose: () => void): ReactNode => (
  <GuestLinks channel={channel} isOpen={isOpen} onClose={onClose} />
);
