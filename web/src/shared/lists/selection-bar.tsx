import { ActionIcon, Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import styles from './bulk.module.css';
import type { Selection } from './selection.ts';

export interface SelectionBarProps {
  /** Whether `total` counts what a filter finds. */
  isFiltered: boolean;
  /** The number of rows that can be selected. */
  total: number;
  selection: Selection;
  /** Reads the keys of all rows that can be selected. */
  readKeys: () => Promise<readonly string[]>;
  onClear: () => void;
  /** The buttons of the acts on the selected rows. */
  children: ReactNode;
}

/** Shows how many rows are selected, with a button to select all of them, and the acts on them. */
export function SelectionBar({ isFiltered, total, selection, readKeys, onClear, children }: SelectionBarProps) {
  const { t } = useTranslation('bulk');
  const words = useErrorWords();
  const count = selection.keys.size;
  useAnnouncement(t('count', { count }));
  const selectAll = useMutation({
    mutationFn: readKeys,
    onSuccess: (keys) => selection.set(keys, true),
    onError: (error) => notifications.show({ title: t('allFailed'), message: words(error) }),
  });
  return (
    <section className={styles.bar} aria-label={t('bar')} data-unsaved="">
      <div className={styles.choices}>
        <ActionIcon variant="subtle" size="lg" aria-label={t('clear')} title={t('clear')} onClick={onClear}>
          <IconX size={18} aria-hidden="true" />
        </ActionIcon>
        <span className={styles.count}>{t('count', { count })}</span>
        {count < total && (
          <Button
            className={styles.all}
            size="compact-sm"
            variant="subtle"
            loading={selectAll.isPending}
            onClick={() => selectAll.mutate()}
          >
            {t(isFiltered ? 'allFound' : 'all', { count: total })}
          </Button>
        )}
      </div>
      <div className={styles.barActs}>{children}</div>
    </section>
  );
}
