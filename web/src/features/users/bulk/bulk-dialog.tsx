import { Button } from '@mantine/core';
import { type ChannelId, type UserId, userId } from '@pressel/contract/ids';
import { BULK_MAX, PICK_SIZES } from '@pressel/contract/limits';
import { changeUsers, getAllUsers } from '@pressel/contract/users';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { fullName } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type BulkProgress, type BulkRun, createBulkRun } from '#src/shared/lists/bulk-run.ts';
import { ChannelPicker } from '#src/shared/lists/channel-picker.tsx';
import { CHANNELS_KEY, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi, useUser } from '#src/shared/services.tsx';
import styles from '#src/shared/ui/bulk.module.css';
import { BulkModal } from '#src/shared/ui/bulk-modal.tsx';
import { ChosenRows, useChosen } from '#src/shared/ui/chosen-rows.tsx';
import { useFoundUsers } from '../filter-words.ts';
import { Fate } from '../user-acts-dialogs.tsx';
import { type BulkAct, changeOf, needsChannels } from './bulk-acts.ts';
import { UserBulkReport } from './bulk-report.tsx';

export interface BulkDialogProps {
  act: BulkAct;
  isOpen: boolean;
  ids: readonly UserId[];
  /** The list's filter: it may hide some of them. */
  filter: string;
  /** `gone`: the users whose accounts no longer exist. */
  onClose: (gone: readonly UserId[]) => void;
  /** Called when the dialog is gone from the screen, to give the focus back. */
  onClosed: () => void;
}

/** Asks, naming the users; then shows the progress, and the outcome for each of them. */
export function BulkDialog({ act, isOpen, ids, filter, onClose, onClosed }: BulkDialogProps) {
  const { t } = useTranslation('users');
  const ownId = useUser().id;
  const others = act === 'delete' ? ids.filter((id) => id !== ownId) : ids;
  const makeRun = useBulkRun(act, others);

  const close = (progress: BulkProgress | undefined) => {
    const leftOut = progress?.leftOut ?? [];
    const stay = new Set<string>(leftOut.filter(({ reason }) => reason === 'last_admin').map(({ id }) => id));
    const tried = others.slice(0, progress?.tried ?? 0);
    const gone = act === 'delete' ? tried.filter((id) => !stay.has(id)) : [];
    onClose([...gone, ...ids.filter((id) => leftOut.some((one) => one.id === id && one.reason === 'not_found'))]);
  };
  return (
    <BulkModal
      isOpen={isOpen}
      title={t(`bulk.ask.${act}`, { count: others.length })}
      size={needsChannels(act) ? 'lg' : 'md'}
      question={(begin, cancel) => (
        <BulkQuestion
          act={act}
          ids={others}
          filter={filter}
          isSelfLeftOut={others.length < ids.length}
          onCancel={cancel}
          onConfirm={(channelIds) => begin(makeRun(channelIds))}
        />
      )}
      report={(run, end) => <UserBulkReport run={run} act={act} onClose={end} />}
      onClose={close}
      onClosed={onClosed}
    />
  );
}

/** Makes runs whose parts keep the lists fresh. */
function useBulkRun(act: BulkAct, ids: readonly UserId[]): (channelIds: readonly ChannelId[]) => BulkRun {
  const api = useApi();
  const queries = useQueryClient();
  return (channelIds) => {
    const change = changeOf(act, channelIds);
    return createBulkRun({
      ids,
      change: async (part) => {
        const { res } = await api.call(changeUsers, { userIds: [...part], change });
        for (const queryKey of [USERS_KEY, CHANNELS_KEY]) void queries.invalidateQueries({ queryKey });
        return res.map(({ userId: id, outcome }) => ({ id, outcome }));
      },
      isDeletion: act === 'delete',
      isUnsure: isUnreachable,
    });
  };
}

interface BulkQuestionProps {
  act: BulkAct;
  ids: readonly UserId[];
  filter: string;
  isSelfLeftOut: boolean;
  onCancel: () => void;
  onConfirm: (channelIds: readonly ChannelId[]) => void;
}

function BulkQuestion({ act, ids, filter, isSelfLeftOut, onCancel, onConfirm }: BulkQuestionProps) {
  const { t } = useTranslation('users');
  const { t: shared } = useTranslation('shared');
  const [channels, setChannels] = useState<ReadonlySet<ChannelId>>(new Set());
  const api = useApi();
  const readFound = useFoundUsers(filter);
  const count = ids.length;
  const chosen = useChosen({
    queryKey: USERS_KEY,
    ids,
    readFound: filter.trim() === '' ? null : readFound,
    readRows: async (part, signal) => {
      const body = { ids: part.map((id) => userId.parse(id)), start: 0, limit: BULK_MAX };
      return (await api.call(getAllUsers, body, { signal })).res;
    },
  });
  const isMissing = chosen.data === undefined || count === 0 || (needsChannels(act) && channels.size === 0);
  return (
    <div className={styles.question}>
      <Fate fate={t(`bulk.fate.${act}`)} warning={isSelfLeftOut && t('bulk.self')} />
      {count > 0 && (
        <ChosenRows
          label={t('title')}
          filter={filter}
          count={count}
          chosen={chosen}
          nameOf={fullName}
          noteOf={(user) => user.identifier}
        />
      )}
      {needsChannels(act) && (
        <ChannelPicker
          title={t('bulk.pick')}
          picked={channels}
          onPick={(ids, isPicked) =>
            setChannels(
              (known) => new Set(isPicked ? [...known, ...ids] : [...known].filter((id) => !ids.includes(id))),
            )
          }
          sizes={PICK_SIZES}
        />
      )}
      <div className={styles.acts}>
        <Button variant="default" onClick={onCancel} data-autofocus>
          {shared('cancel')}
        </Button>
        <Button
          {...(act === 'delete' ? { color: 'fault' } : {})}
          disabled={isMissing}
          onClick={() => onConfirm([...channels])}
        >
          {act === 'delete' ? t('bulk.confirm.delete', { count }) : t(`bulk.confirm.${act}`)}
        </Button>
      </div>
    </div>
  );
}
