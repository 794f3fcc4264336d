import { UnstyledButton } from '@mantine/core';
import { getAllChannels } from '@pressel/contract/channels';
import { type ChannelId, channelId, type UserId, userId } from '@pressel/contract/ids';
import { getUserById } from '@pressel/contract/users';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Api } from '#src/shared/api/api.ts';
import { memberName, nameDirection } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { firstView } from '#src/shared/lists/list-view.ts';
import { type ChannelColumn, type UserColumn, useChannelsPage, useUsersPage } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { ACTIVITIES_KEY } from './activities.queries.ts';
import styles from './activity-filters.module.css';
import { FilterButton } from './filter-button.tsx';

/** The number of options offered; typing finds the others. */
const OFFERED = 8;

interface Picking<Id> {
  id: Id | undefined;
  onPick: (id: Id | undefined) => void;
  /** The name to show when the account or channel no longer exists. */
  fallback: string | undefined;
}
export type PickFilterProps =
  | ({ kind: 'by' | 'target' } & Picking<UserId>)
  | ({ kind: 'channel' } & Picking<ChannelId>);

/** Filters the entries of one person or of one channel. */
export function PickFilter(props: PickFilterProps) {
  const { t } = useTranslation('activityLog');
  const { kind, id } = props;
  const api = useApi();
  const known = useQuery({
    queryKey: [...ACTIVITIES_KEY, 'name', kind === 'channel' ? kind : 'user', id],
    queryFn: ({ signal }) => (id === undefined ? null : nameOf(api, kind, id, signal)),
    enabled: id !== undefined,
    retry: false,
  });
  const name = known.data ?? props.fallback ?? (known.isPending ? '…' : t('filter.gone'));
  return (
    <FilterButton
      name={t(`filter.${kind}`)}
      value={id === undefined ? undefined : t(`filter.${kind}On`, { name })}
      onOff={() => props.onPick(undefined)}
    >
      {(close) =>
        props.kind === 'channel' ? (
          <ChannelChoices
            onPick={(one) => {
              props.onPick(one);
              close();
            }}
          />
        ) : (
          <UserChoices
            onPick={(one) => {
              props.onPick(one);
              close();
            }}
          />
        )
      }
    </FilterButton>
  );
}

async function nameOf(api: Api, kind: PickFilterProps['kind'], id: string, signal: AbortSignal): Promise<string> {
  if (kind !== 'channel')
    return memberName((await api.call(getUserById, { userId: userId.parse(id) }, { signal })).res);
  const ids = [channelId.parse(id)];
  const { res } = await api.call(getAllChannels, { ids, start: 0, limit: 1 }, { signal });
  const [channel] = res;
  if (channel === undefined) throw new Error('No such channel');
  return channel.name;
}

function UserChoices({ onPick }: { onPick: (id: UserId) => void }) {
  const { t } = useTranslation('activityLog');
  const [filter, setFilter] = useState('');
  const users = useUsersPage({ ...firstView<UserColumn>('lastName', OFFERED), filter });
  const choices = users.data?.rows.map((user) => ({ id: user.id, name: memberName(user), note: user.identifier }));
  return <Choices filter={filter} onFilter={setFilter} label={t('filter.person')} choices={choices} onPick={onPick} />;
}

function ChannelChoices({ onPick }: { onPick: (id: ChannelId) => void }) {
  const { t } = useTranslation('activityLog');
  const [filter, setFilter] = useState('');
  const channels = useChannelsPage({ ...firstView<ChannelColumn>('name', OFFERED), filter });
  const choices = channels.data?.rows.map(({ id, name }) => ({ id, name, note: undefined }));
  return <Choices filter={filter} onFilter={setFilter} label={t('filter.place')} choices={choices} onPick={onPick} />;
}

interface ChoicesProps<Id extends string> {
  filter: string;
  onFilter: (filter: string) => void;
  label: string;
  choices: readonly { id: Id; name: string; note: string | undefined }[] | undefined;
  onPick: (id: Id) => void;
}

function Choices<Id extends string>({ filter, onFilter, label, choices, onPick }: ChoicesProps<Id>) {
  const { t } = useTranslation('activityLog');
  return (
    <div className={styles.picker}>
      <FilterBox value={filter} onChange={onFilter} label={label} />
      {choices?.length === 0 ? (
        <p className={styles.nobody} role="status">
          {t('filter.nobody')}
        </p>
      ) : (
        <ul className={styles.options} aria-label={label}>
          {choices?.map(({ id, name, note }) => (
            <li key={id}>
              <UnstyledButton className={styles.option} onClick={() => onPick(id)}>
                <bdi dir={nameDirection(name)}>{name}</bdi>
                {note !== undefined && <bdi className={styles.note}>{note}</bdi>}
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
