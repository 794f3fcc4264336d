import { userId } from '@pressel/contract/ids';
import { getUserById, type User } from '@pressel/contract/users';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fullName } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { BulkRun, LeftOut } from '#src/shared/lists/bulk-run.ts';
import { USERS_KEY, type UsersPage } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';
import styles from '#src/shared/ui/bulk.module.css';
import { BulkReport } from '#src/shared/ui/bulk-report.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { BulkAct } from './bulk-acts.ts';

export interface UserBulkReportProps {
  run: BulkRun;
  act: BulkAct;
  onClose: () => void;
}

/** Shows a run's progress; then the outcome for each user. */
export function UserBulkReport({ run, act, onClose }: UserBulkReportProps) {
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
