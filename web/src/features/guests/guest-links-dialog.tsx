import { Button, Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type GuestLink, withdrawGuestLink } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { IconCircleFilled, IconClock, IconLinkOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useErrorWords, useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';
import { inWords } from './guest-name.rules.ts';
import styles from './guests.module.css';
import { bindGuestLinks, guestLinksKey, guestLinksQuery } from './guests.queries.ts';
import { type Made, MadeLink, MakeLinkForm } from './make-link-form.tsx';

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

interface GuestLinkRowProps {
  link: GuestLink;
  /** When the list was read, ms since the epoch. */
  now: number;
  /** `opener` is the element that had the focus. */
  onWithdraw: (opener: HTMLElement) => void;
}

/** One guest link: its name, how long it lasts and its present guests; an open link can be withdrawn. */
function GuestLinkRow({ link, now, onWithdraw }: GuestLinkRowProps) {
  const { t } = useTranslation('guests');
  const { current } = useLanguage();
  const date = (instant: string) => formatDateTime(instant, current);
  const isOpen = link.state === 'open';
  return (
    <li className={styles.link} data-state={link.state}>
      <div className={styles.linkHead}>
        <h3 className={styles.linkName} dir="auto">
          {link.name}
        </h3>
        <span className={styles.linkTime} title={t('link.until', { date: date(link.expiresAt) })}>
          {isOpen ? <IconClock size={16} aria-hidden="true" /> : <IconLinkOff size={16} aria-hidden="true" />}
          {link.state === 'open'
            ? t('link.expires', { in: inWords(new Date(link.expiresAt).getTime() - now, current) })
            : t(`link.${link.state}`)}
        </span>
        {isOpen && (
          <Button
            variant="default"
            size="xs"
            onClick={(event) => onWithdraw(event.currentTarget)}
            aria-label={t('withdraw.of', { name: link.name })}
          >
            {t('withdraw.act')}
          </Button>
        )}
      </div>
      {link.guests.length > 0 ? (
        <div className={styles.here}>
          <span className={styles.hereWord}>
            <IconCircleFilled size={10} aria-hidden="true" />
            {t('link.here')}
          </span>
          {link.guests.map(({ id, name }) => (
            <bdi key={id} className={styles.guest}>
              {name}
            </bdi>
          ))}
        </div>
      ) : (
        isOpen && <p className={styles.dim}>{t('link.nobody')}</p>
      )}
      <p className={styles.dim}>
        <span>{t('link.by', { name: link.createdBy, date: date(link.createdAt) })}</span>
        <span>{link.lastUsedAt === null ? t('link.unused') : t('link.used', { date: date(link.lastUsedAt) })}</span>
      </p>
    </li>
  );
}

interface WithdrawDialogProps {
  link: GuestLink;
  isOpen: boolean;
  onClose: () => void;
  /** Called when the dialog has left the screen: the caller can give the focus back. */
  onClosed: () => void;
}

/** Confirms the withdrawal of a link, and tells how many guests it removes. */
function WithdrawDialog({ link, isOpen, onClose, onClosed }: WithdrawDialogProps) {
  const { t } = useTranslation('guests');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const withdraw = useMutation({
    mutationFn: () => api.call(withdrawGuestLink, { linkId: link.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: guestLinksKey(link.channelId) });
      onClose();
    },
  });
  const count = link.guests.length;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      isDestructive
      title={t('withdraw.title')}
      confirmLabel={t('withdraw.confirm')}
      cancelLabel={shared('cancel')}
      isBusy={withdraw.isPending}
      onConfirm={() => withdraw.mutate()}
      onCancel={onClose}
      onClosed={onClosed}
    >
      <p className={styles.question}>{t('withdraw.text', { name: link.name })}</p>
      <p className={styles.question}>{count === 0 ? t('withdraw.nobody') : t('withdraw.here', { count })}</p>
      {withdraw.isError && (
        <InlineError>
          {t('withdraw.failed')} {words(withdraw.error)}
        </InlineError>
      )}
    </ConfirmDialog>
  );
}
