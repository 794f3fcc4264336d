import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { GuestLink } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { inSentence } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { GuestLinkRow } from './guest-link-row.tsx';
import styles from './guests.module.css';
import { guestLinksQuery } from './guests.queries.ts';
import { bindGuestLinks } from './guests.realtime.ts';
import { type Made, MadeLink } from './made-link.tsx';
import { MakeLinkForm } from './make-link-form.tsx';
import { WithdrawDialog } from './withdraw-dialog.tsx';

/** On phones it fills the screen. */
const NARROW = '(max-width: 599px)';

export interface GuestLinksDialogProps {
  channel: { id: ChannelId; name: string };
  isOpen: boolean;
  onClose: () => void;
}

/** The guest links of a channel, for administrators: makes them, says who is in by them, and withdraws them [GUEST13]. */
export function GuestLinksDialog({ channel, isOpen, onClose }: GuestLinksDialogProps) {
  const { t } = useTranslation('guests');
  const { t: shared } = useTranslation('shared');
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const [withdrawing, setWithdrawing] = useState<GuestLink>();
  return (
    <>
      <Modal
        opened={isOpen}
        onClose={onClose}
        title={t('dialog.title')}
        size="lg"
        fullScreen={isNarrow ?? false}
        closeOnEscape={withdrawing === undefined}
        // A stray click must not close a link that is shown once.
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        <GuestLinks channel={channel} onWithdraw={setWithdrawing} />
      </Modal>
      {withdrawing !== undefined && <WithdrawDialog link={withdrawing} onClose={() => setWithdrawing(undefined)} />}
    </>
  );
}

function GuestLinks({
  channel,
  onWithdraw,
}: Pick<GuestLinksDialogProps, 'channel'> & { onWithdraw: (link: GuestLink) => void }) {
  const { t } = useTranslation('guests');
  const realtime = useRealtime();
  const queries = useQueryClient();
  const [made, setMade] = useState<Made>();
  const links = useQuery(guestLinksQuery(useApi(), channel.id));
  useEffect(() => bindGuestLinks(realtime, queries, channel.id), [realtime, queries, channel.id]);
  return (
    <div className={styles.dialog}>
      <p className={styles.lead}>{t('dialog.lead', { name: inSentence(channel.name) })}</p>
      {made === undefined ? (
        <MakeLinkForm channelId={channel.id} onMade={setMade} />
      ) : (
        <MadeLink made={made} onDone={() => setMade(undefined)} />
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
            <GuestLinkRow key={link.id} link={link} now={links.dataUpdatedAt} onWithdraw={() => onWithdraw(link)} />
          ))}
        </ul>
      )}
    </div>
  );
}
