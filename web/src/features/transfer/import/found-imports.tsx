import { Button } from '@mantine/core';
import { listImports } from '@pressel/contract/transfer';
import { IconHistory, IconLoader2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import type { ImportKind } from '../import-kinds.ts';
import { IMPORT_PATHS } from '../import-paths.ts';
import styles from '../transfer.module.css';

export interface FoundImportsProps {
  kind: ImportKind;
  onFollow: (importId: string) => void;
}

/** The user's own imports that another tab or device started. A running one is followed here too (IMP32). */
export function FoundImports({ kind, onFollow }: FoundImportsProps) {
  const { t } = useTranslation('transfer');
  const { current } = useLanguage();
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['imports'],
    queryFn: ({ signal }) => api.call(listImports, {}, { signal }),
    gcTime: 0,
  });
  const found = data?.res ?? [];
  const running = found.find(({ state }) => state === 'running');
  const own = running?.kind === kind ? running.importId : undefined;
  useEffect(() => {
    if (own !== undefined) onFollow(own);
  }, [own, onFollow]);

  const ended = found.find((one) => one.kind === kind && one.endedAt !== null);
  if (running !== undefined && own === undefined) {
    return (
      <section className={styles.draft} aria-label={t('run.title')}>
        <IconLoader2 size={18} aria-hidden="true" />
        <p className={styles.draftText}>{t(`found.${running.kind}`)}</p>
        <Button variant="default" renderRoot={(props) => <Link to={IMPORT_PATHS[running.kind]} {...props} />}>
          {t('found.follow')}
        </Button>
      </section>
    );
  }
  if (ended === undefined) return null;
  const time = new Date(ended.endedAt ?? 0).toLocaleTimeString(current, { hour: '2-digit', minute: '2-digit' });
  return (
    <section className={styles.draft} aria-label={t('done.title')}>
      <IconHistory size={18} aria-hidden="true" />
      <p className={styles.draftText}>{t('found.ended', { time })}</p>
      <Button variant="default" onClick={() => onFollow(ended.importId)}>
        {t('found.result')}
      </Button>
    </section>
  );
}
