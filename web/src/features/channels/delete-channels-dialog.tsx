import { Button } from '@mantine/core';
import { type Channel, deleteChannels, getAllChannels } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { BULK_MAX } from '@pressel/contract/limits';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type BulkRun, createBulkRun } from '#src/shared/lists/bulk-run.ts';
import { CHANNELS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';
import styles from '#src/shared/ui/bulk.module.css';
import { BulkModal } from '#src/shared/ui/bulk-modal.tsx';
import { BulkReport } from '#src/shared/ui/bulk-report.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';

export interface DeleteChannelsDialogProps {
  isOpen: boolean;
  ids: readonly ChannelId[];
  /** `gone`: those that are no more. */
  onClose: (gone: readonly ChannelId[]) => void;
  /** The dialog is gone from the screen: time to give the focus back. */
  onClosed: () => void;
}

/** Asks, naming the channels and who is in them; then shows how far the deletion is. */
export function DeleteChannelsDialog({ isOpen, ids, onClose, onClosed }: DeleteChannelsDialogProps) {
  const { t } = useTranslation('channels');
  const api = useApi();
  const queries = useQueryClient();
  const makeRun = () =>
    createBulkRun({
      ids,
      change: async (part) => {
        const { res } = await api.call(deleteChannels, { channelIds: [...part] });
        void queries.invalidateQueries({ queryKey: CHANNELS_KEY });
        return res.map(({ channelId: id, outcome }) => ({ id, outcome }));
      },
      isDeletion: true,
      isUnsure: isUnreachable,
    });
  return (
    <BulkModal
      isOpen={isOpen}
      title={t('bulk.ask', { count: ids.length })}
      question={(begin, cancel) => <Question ids={ids} onCancel={cancel} onConfirm={() => begin(makeRun())} />}
      report={(run, close) => <Report run={run} onClose={close} />}
      onClose={(progress) => onClose(ids.slice(0, progress?.tried ?? 0))}
      onClosed={onClosed}
    />
  );
}

function Question({
  ids,
  onCancel,
  onConfirm,
}: {
  ids: readonly ChannelId[];
  onCancel: () => void;
  onConfirm: () => void;
}) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const found = useQuery({
    queryKey: [...CHANNELS_KEY, 'asked', ids],
    queryFn: async ({ signal }) => {
      const channels: Channel[] = [];
      for (let at = 0; at < ids.length; at += BULK_MAX) {
        const part = ids.slice(at, at + BULK_MAX);
        channels.push(...(await api.call(getAllChannels, { ids: part, limit: BULK_MAX }, { signal })).res);
      }
      return channels;
    },
    gcTime: 0,
  });
  const channels = found.data ?? [];
  const named = channels.slice(0, BULK_MAX);
  const connected = channels.reduce((sum, channel) => sum + channel.connected, 0);
  return (
    <div className={styles.question}>
      <p>{t('bulk.fate')}</p>
      {connected > 0 && (
        <p>
          <strong>{t('delete.connected', { count: connected })}</strong>
        </p>
      )}
      {channels.length > 0 && (
        <div className={styles.leftOut}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached (axe: scrollable-region-focusable) */}
          <ul tabIndex={0} aria-label={t('title')}>
            {named.map((channel) => (
              <li key={channel.id}>
                <bdi>{channel.name}</bdi>
                <span className={styles.reason}>{t('memberCount', { count: channel.userCount })}</span>
              </li>
            ))}
            {channels.length > named.length && <li>{t('delete.others', { count: channels.length - named.length })}</li>}
          </ul>
        </div>
      )}
      <div className={styles.acts}>
        <Button variant="default" onClick={onCancel} data-autofocus>
          {shared('cancel')}
        </Button>
        <Button color="fault" onClick={onConfirm}>
          {t('bulk.confirm', { count: ids.length })}
        </Button>
      </div>
    </div>
  );
}

function Report({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const { t } = useTranslation('channels');
  const { leftOut } = useSnapshot(run);
  return (
    <BulkReport
      run={run}
      label={t('bulk.delete')}
      doneWords={(count) => t('bulk.deleted', { count })}
      onClose={onClose}
    >
      {leftOut.length > 0 && <p>{t('bulk.alreadyGone', { count: leftOut.length })}</p>}
    </BulkReport>
  );
}
