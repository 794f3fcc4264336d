import { Button } from '@mantine/core';
import { type ChannelId, type UserId, userId } from '@pressel/contract/ids';
import { BULK_MAX, PICK_SIZES } from '@pressel/contract/limits';
import { changeUsers, getAllUsers, getUserById, type User, type UserChange } from '@pressel/contract/users';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { fullName } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from '#src/shared/lists/bulk.module.css';
import { BulkModal, BulkReport, ChosenRows, useChosen } from '#src/shared/lists/bulk-modal.tsx';
import { type BulkProgress, type BulkRun, createBulkRun, type LeftOut } from '#src/shared/lists/bulk-run.ts';
import { CHANNELS_KEY, USERS_KEY, type UsersPage } from '#src/shared/lists/lists.queries.ts';
import { ChannelPicker } from '#src/shared/lists/pickers.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { Fate } from '../acts/user-acts-dialogs.tsx';
import { useFoundUsers } from './filter-words.ts';

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

/** The acts on all selected users. */
export type BulkAct = 'addToChannels' | 'removeFromChannels' | 'grantMap' | 'withdrawMap' | 'delete';

/** Whether the channels have to be chosen first. */
const needsChannels = (act: BulkAct): boolean => act === 'addToChannels' || act === 'removeFromChannels';

/** Returns the act as a change of the contract. */
function changeOf(act: BulkAct, channelIds: readonly ChannelId[]): UserChange {
  switch (act) {
    case 'addToChannels':
    case 'removeFromChannels':
      return { type: act, channelIds: [...channelIds] };
    case 'grantMap':
    case 'withdrawMap':
      return { type: 'setMapRight', mapRight: act === 'grantMap' };
    case 'delete':
      return { type: 'delete' };
    default:
      return act satisfies never;
  }
}

interface UserBulkReportProps {
  run: BulkRun;
  act: BulkAct;
  onClose: () => void;
}

/** Shows a run's progress; then the outcome for each user. */
function UserBulkReport({ run, act, onClose }: UserBulkReportProps) {
  const { t } = useTranslation('users');
  const { leftOut } = useSnapshot(run);
  // Users who are deleted will soon be on no page any more.
  const [names] = useState(namesOnPages(useQueryClient()));
  return (
    <BulkReport
      run={run}
      label={t(`bulk.menu.${act}`)}
      doneWords={(count) => t(act === 'delete' ? 'bulk.deleted' : 'bulk.changed', { count })}
      onClose={onClose}
    >
      {leftOut.length > 0 && <LeftOutList leftOut={leftOut} names={names} />}
    </BulkReport>
  );
}

function LeftOutList({ leftOut, names }: { leftOut: readonly LeftOut[]; names: ReadonlyMap<string, string> }) {
  const { t } = useTranslation('users');
  return (
    <section className={styles.leftOut} aria-label={t('bulk.leftOut', { count: leftOut.length })}>
      <p>{t('bulk.leftOut', { count: leftOut.length })}</p>
      {/* Scrolls by keyboard too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached (axe: scrollable-region-focusable) */}
      <ul tabIndex={0}>
        {leftOut.map((one) => (
          <li key={one.id}>
            <Name leftOut={one} known={names.get(one.id)} />
            <span className={styles.reason}>{t(`bulk.reason.${one.reason}`)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows the name as it was in the list. Otherwise it is read, if the account still exists. */
function Name({ leftOut: { id, reason }, known }: { leftOut: LeftOut; known: string | undefined }) {
  const { t } = useTranslation('users');
  const api = useApi();
  const asked = useQuery({
    queryKey: [...USERS_KEY, 'name', id],
    queryFn: async ({ signal }) =>
      fullName((await api.call(getUserById, { userId: userId.parse(id) }, { signal })).res),
    enabled: known === undefined && reason !== 'not_found',
  });
  return <bdi>{known ?? asked.data ?? t('bulk.unknown', { id: id.slice(-8) })}</bdi>;
}

/** Returns the names on all recently read pages, by id. */
function namesOnPages(queries: QueryClient): () => ReadonlyMap<string, string> {
  return () => {
    const pages = queries.getQueriesData<UsersPage>({ queryKey: [...USERS_KEY, 'page'] });
    const users: User[] = pages.flatMap(([, page]) => page?.rows ?? []);
    return new Map(users.map((user) => [user.id, fullName(user)]));
  };
}
