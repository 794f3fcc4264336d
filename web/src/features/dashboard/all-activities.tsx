import { Modal } from '@mantine/core';
import { type Activity, getAllActivities } from '@pressel/contract/activities';
import { ACTIVITIES_LAST } from '@pressel/contract/limits';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lastPage } from '#src/shared/lists/list-view.ts';
import { Pager } from '#src/shared/lists/pager.tsx';
import { useApi } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { useAfterMount } from '#src/shared/ui/use-made-menu.ts';
import { Nothing } from './card.tsx';
import styles from './dashboard.module.css';

/** Shows one entry of the log. */
export type ShowEntry = (activity: Activity) => ReactNode;

export interface AllActivitiesProps {
  isOpen: boolean;
  onClose: () => void;
  entry: ShowEntry;
}

/** The log in a dialog with pages (spec §2). */
export function AllActivities({ isOpen, onClose, entry }: AllActivitiesProps) {
  const { t } = useTranslation('dashboard');
  const { t: shared } = useTranslation('shared');
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={onClose}
      title={t('last.dialog')}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <Leaves entry={entry} />
    </Modal>
  );
}

/**
 * The log by pages of eight (spec §9). The pages keep their entries while new ones come, because they begin where the
 * first one did.
 */
function Leaves({ entry }: { entry: ShowEntry }) {
  const { t } = useTranslation('dashboard');
  const api = useApi();
  const [page, setPage] = useState(1);
  const [top, setTop] = useState<string>();
  const leaf = useQuery({
    queryKey: ['activities', 'leaf', page, page === 1 ? undefined : top],
    queryFn: async ({ signal }) => {
      const start = (page - 1) * ACTIVITIES_LAST;
      const body = { start, limit: ACTIVITIES_LAST, ...(page > 1 && top !== undefined && { cursor: top }) };
      return (await api.call(getAllActivities, body, { signal })).res;
    },
    placeholderData: keepPreviousData,
  });
  if (leaf.data === undefined) {
    return leaf.isError ? (
      <LoadError error={leaf.error} onRetry={() => void leaf.refetch()} />
    ) : (
      <RowsSkeleton rows={8} />
    );
  }
  const { activities, totalRecords } = leaf.data;
  // Entries were deleted meanwhile.
  const last = lastPage(totalRecords, ACTIVITIES_LAST);
  if (!leaf.isPlaceholderData && page > last) setPage(last);
  return (
    <div className={styles.dialog}>
      {activities.length === 0 ? (
        <Nothing>{t('last.none')}</Nothing>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on low screens, and by keyboard too
        <ul className={styles.entries} aria-busy={leaf.isPlaceholderData} tabIndex={0} aria-label={t('last.dialog')}>
          {activities.map((activity) => (
            <li key={activity.id}>{entry(activity)}</li>
          ))}
        </ul>
      )}
      <Pager
        view={{ page, size: ACTIVITIES_LAST }}
        total={totalRecords}
        onView={(change) => {
          if (page === 1) setTop(leaf.data.top ?? undefined);
          setPage(change.page);
        }}
      />
    </div>
  );
}
