import { Button } from '@mantine/core';
import { userId } from '@pressel/contract/ids';
import { getUserById, type User } from '@pressel/contract/users';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '#src/shared/format/format.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import type { BulkProgress, BulkRun, LeftOut } from '#src/shared/lists/bulk-run.ts';
import { USERS_KEY, type UsersPage } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';
import styles from '#src/shared/ui/bulk.module.css';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { BulkAct } from './bulk-acts.ts';

export interface BulkReportProps {
  run: BulkRun;
  act: BulkAct;
  onClose: () => void;
}

/** How far a run is; then what became of everybody. */
export function BulkReport({ run, act, onClose }: BulkReportProps) {
  const { t } = useTranslation('users');
  const { t: shared } = useTranslation('shared');
  const progress = useSnapshot(run);
  const { phase, tried, total } = progress;
  const isOn = phase === 'running' || phase === 'stopping';
  const actRef = useRef<HTMLButtonElement>(null);
  // Who is deleted will soon be on no page any more.
  const [names] = useState(namesOnPages(useQueryClient()));

  // The button that had the focus is gone, with the question or with the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn brings another button
  useEffect(() => actRef.current?.focus(), [isOn]);

  return (
    <div className={styles.report}>
      <progress className={styles.progress} value={tried} max={total} aria-label={t(`bulk.menu.${act}`)} />
      <div className={styles.outcome} role="status">
        {isOn ? (
          <span>{t('bulk.progress', { done: tried, total })}</span>
        ) : (
          <Outcome progress={progress} isDeletion={act === 'delete'} />
        )}
        {phase === 'stopping' && <span>{t('bulk.stopping')}</span>}
      </div>
      {phase === 'failed' && <Failure error={progress.error} unsure={progress.unsure} />}
      {!isOn && progress.leftOut.length > 0 && <LeftOutList leftOut={progress.leftOut} names={names} />}
      <div className={styles.acts}>
        {isOn ? (
          <Button ref={actRef} variant="default" disabled={phase === 'stopping'} onClick={run.stop}>
            {t('bulk.stop')}
          </Button>
        ) : (
          <>
            <Button ref={actRef} variant="default" onClick={onClose}>
              {shared('close')}
            </Button>
            {phase !== 'finished' && <Button onClick={run.start}>{t('bulk.goOn')}</Button>}
          </>
        )}
      </div>
    </div>
  );
}

function Outcome({ progress, isDeletion }: { progress: BulkProgress; isDeletion: boolean }) {
  const { t } = useTranslation('users');
  const { phase, done, tried, total } = progress;
  const title = phase === 'stopped' || phase === 'failed' ? phase : 'finished';
  return (
    <>
      <strong>{t(`bulk.${title}`)}</strong>
      <span>{t(isDeletion ? 'bulk.deleted' : 'bulk.changed', { count: done })}</span>
      {tried < total && <span>{t('bulk.rest', { count: total - tried })}</span>}
    </>
  );
}

function Failure({ error, unsure }: { error: unknown; unsure: number }) {
  const { t } = useTranslation('users');
  const words = useErrorWords();
  return (
    <InlineError>
      {words(error)} {unsure > 0 && t('bulk.unsure', { count: unsure })}
    </InlineError>
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

/** The name as the list showed it; else asked for, if there is still somebody to ask for. */
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

/** The names on all pages that were looked at lately, by id. */
function namesOnPages(queries: QueryClient): () => ReadonlyMap<string, string> {
  return () => {
    const pages = queries.getQueriesData<UsersPage>({ queryKey: [...USERS_KEY, 'page'] });
    const users: User[] = pages.flatMap(([, page]) => page?.rows ?? []);
    return new Map(users.map((user) => [user.id, fullName(user)]));
  };
}
