import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { GuestLink } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { useAfterMount } from '#src/shared/ui/use-after-mount.ts';
import { GuestLinkRow } from './guest-link-row.tsx';
import styles from './guests.module.css';
import { bindGuestLinks, guestLinksQuery } from './guests.queries.ts';
import { type Made, MadeLink } from './made-link.tsx';
import { MakeLinkForm } from './make-link-form.tsx';
import { WithdrawDialog } from './withdraw-dialog.tsx';

/** On phones the dialog fills the screen. */
const NARROW = '(max-width: 599px)';

export interface GuestLinksDialogProps {
  channel: { id: ChannelId; name: string };
  isOpen: boolean;
  onClose: () => void;
}

/** The guest links of a channel, for administrators: makes them, lists their guests, and withdraws them [GUEST13]. */
export function GuestLinksDialog({ channel, isOpen, onClose }: GuestLinksDialogProps) {
  const { t } = useTranslation('guests');
  const { t: shared } = useTranslation('shared');
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const [withdrawing, setWithdrawing] = useState<{ link: GuestLink; isOpen: boolean; opener: HTMLElement }>();
  const content = useRef<HTMLDivElement>(null);
  return (
    <>
      <Modal
        opened={useAfterMount(isOpen)}
        onClose={onClose}
        title={t('dialog.title')}
        size="lg"
        fullScreen={isNarrow ?? false}
        closeOnEscape={withdrawing?.isOpen !== true}
        // A stray click must not close a link that is shown only once.
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        <div ref={content}>
          <GuestLinks channel={channel} onWithdraw={(link, opener) => setWithdrawing({ link, isOpen: true, opener })} />
        </div>
      </Modal>
      {withdrawing !== undefined && (
        <WithdrawDialog
          link={withdrawing.link}
          isOpen={withdrawing.isOpen}
          onClose={() => setWithdrawing({ ...withdrawing, isOpen: false })}
          onClosed={() => {
            // The opener goes with its link: the focus then moves to the field that makes the next one.
            const { opener } = withdrawing;
            (opener.isConnected ? opener : content.current?.querySelector<HTMLElement>('input'))?.focus();
          }}
        />
      )}
    </>
  );
}

function GuestLinks({
  channel,
  onWithdraw,
}: Pick<GuestLinksDialogProps, 'channel'> & { onWithdraw: (link: GuestLink, opener: HTMLElement) => void }) {
  const { t } = useTranslation('guests');
  const realtime = useRealtime();
  const queries = useQueryClient();
  const [made, setMade] = useState<Made>();
  const [isAgain, setAgain] = useState(false);
  const links = useQuery(guestLinksQuery(useApi(), channel.id));
  useEffect(() => bindGuestLinks(realtime, queries, channel.id), [realtime, queries, channel.id]);
  return (
    <div className={styles.dialog}>
      <p className={styles.lead}>{t('dialog.lead', { name: channel.name })}</p>
      {made === undefined ? (
        <MakeLinkForm channelId={channel.id} takesFocus={isAgain} onMade={setMade} />
      ) : (
        <MadeLink
          made={made}
          onDone={() => {
            setAgain(true);
            setMade(undefined);
          }}
        />
      )}
      {links.data === undefined && links.isError && (
        <LoadError error={links.error} onRetry={() => void links.refetch()} />
      )}
      {links.data === undefined && !links.isError && <RowsSkeleton rows={2} />}
      {links.data?.length === 0 && (
        <p className={styles.none}>
          <strong>{t('dialog.none')}</strong> <span>{t('dialog.noneMore')}</span>
        </p>
      )}
      {links.data !== undefined && links.data.length > 0 && (
        <ul className={styles.links} aria-label={t('dialog.list')}>
          {links.data.map((link) => (
            <GuestLinkRow
              key={link.id}
              link={link}
              now={links.dataUpdatedAt}
              onWithdraw={(opener) => onWithdraw(link, opener)}
            />
          ))}
        </ul>
      )}
    </div>
  );
}
