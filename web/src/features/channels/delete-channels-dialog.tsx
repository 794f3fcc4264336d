import { Button } from '@mantine/core';
import { deleteChannels, getAllChannels } from '@pressel/contract/channels';
import { type ChannelId, channelId } from '@pressel/contract/ids';
import { BULK_MAX } from '@pressel/contract/limits';
import { useQueryClient } from '@tanstack/react-query';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from '#src/shared/lists/bulk.module.css';
import { BulkModal, BulkReport, ChosenRows, useChosen } from '#src/shared/lists/bulk-modal.tsx';
import { type BulkRun, createBulkRun } from '#src/shared/lists/bulk-run.ts';
import { CHANNELS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { foundChannels } from './channels.queries.ts';

export interface DeleteChannelsDialogProps {
  isOpen: boolean;
  ids: readonly ChannelId[];
  /** The filter of the list, which may hide some of the channels. */
  filter: string;
  /** `gone` lists the channels that no longer exist. */
  onClose: (gone: readonly ChannelId[]) => void;
  /** Called when the dialog has left the screen: the caller can give the focus back. */
  onClosed: () => void;
}

/**
 * Asks before deleting, with the names of the channels and of the users in them; then shows the deletion's progress.
 */
export function DeleteChannelsDialog({ isOpen, ids, filter, onClose, onClosed }: DeleteChannelsDialogProps) {
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
      question={(begin, cancel) => (
        <Question ids={ids} filter={filter} onCancel={cancel} onConfirm={() => begin(makeRun())} />
      )}
      report={(run, close) => <Report run={run} onClose={close} />}
      onClose={(progress) => onClose(ids.slice(0, progress?.tried ?? 0))}
      onClosed={onClosed}
    />
  );
}

interface QuestionProps {
  ids: readonly ChannelId[];
  filter: string;
  onCancel: () => void;
  onConfirm: () => void;
}

function Question({ ids, filter, onCancel, onConfirm }: QuestionProps) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const { current } = useLanguage();
  const api = useApi();
  const chosen = useChosen({
    queryKey: CHANNELS_KEY,
    ids,
    readFound: filter.trim() === '' ? null : () => foundChannels(api, filter, current),
    readRows: async (part, signal) => {
      const body = { ids: part.map((id) => channelId.parse(id)), limit: BULK_MAX };
      return (await api.call(getAllChannels, body, { signal })).res;
    },
    isWhole: true,
  });
  const connected = chosen.data?.rows.reduce((sum, channel) => sum + channel.connected, 0) ?? 0;
  return (
    <div className={styles.question}>
      <p>{t('bulk.fate')}</p>
      {connected > 0 && (
        <p>
          <strong>{t('delete.connected', { count: connected })}</strong>
        </p>
      )}
      <ChosenRows
        label={t('title')}
        filter={filter}
        count={ids.length}
        chosen={chosen}
        nameOf={({ name }) => name}
        noteOf={({ userCount }) => t('memberCount', { count: userCount })}
      />
      <div className={styles.acts}>
        <Button variant="default" onClick={onCancel} data-autofocus>
          {shared('cancel')}
        </Button>
        <Button color="fault" disabled={chosen.data === undefined} onClick={onConfirm}>
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
