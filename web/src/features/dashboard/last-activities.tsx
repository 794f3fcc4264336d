import { Button } from '@mantine/core';
import type { Activity } from '@pressel/contract/activities';
import { useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { loadableChunk } from '#src/shared/renewal.ts';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import { whenIdle } from '#src/shared/when-idle.ts';
import type { ShowEntry } from './all-activities.tsx';
import { Card, MoreLink, Nothing, ShowWaiting } from './card.tsx';
import styles from './dashboard.module.css';

const loadAll = loadableChunk(() => import('./all-activities.tsx'));
const AllActivities = lazyComponent(async () => (await loadAll()).AllActivities);
const foresee = () => void loadAll().catch(() => undefined);

export interface LastActivitiesProps {
  activities: readonly Activity[];
  entry: ShowEntry;
}

/** The newest entries of the log, with links to the others: a dialog with pages, and the page (spec §2). */
export function LastActivities({ activities, entry }: LastActivitiesProps) {
  const { t } = useTranslation('dashboard');
  const [isOpen, setOpen] = useState(false);
  // Stays mounted once opened, so that its closing can be seen.
  const [isUsed, setUsed] = useState(false);
  if (isOpen && !isUsed) setUsed(true);
  useEffect(() => whenIdle(foresee), []);
  const { rows, waiting, hold, onShow } = useSteadyRows(activities, ({ id }) => id);
  return (
    <Card area="activities" title={t('last.title')} act={<MoreLink to="/activities">{t('last.all')}</MoreLink>}>
      <ShowWaiting count={waiting} onShow={onShow} />
      {rows.length === 0 ? (
        <Nothing>{t('last.none')}</Nothing>
      ) : (
        <>
          <ul className={styles.entries} aria-label={t('last.title')} {...hold}>
            {rows.map(({ row }) => (
              <li key={row.id}>{entry(row)}</li>
            ))}
          </ul>
          <div className={styles.foot}>
            <Button variant="default" fullWidth onClick={() => setOpen(true)}>
              {t('last.browse')}
            </Button>
          </div>
        </>
      )}
      {isUsed && (
        <LazyOverlay isOpen={isOpen} onClose={() => setOpen(false)}>
          <AllActivities isOpen={isOpen} onClose={() => setOpen(false)} entry={entry} />
        </LazyOverlay>
      )}
    </Card>
  );
}
