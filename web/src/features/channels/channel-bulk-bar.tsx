import { ActionIcon, Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { getChannelIds } from '@pressel/contract/channels';
import { IconTrash, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { filterQuery } from '#src/shared/lists/list-view.ts';
import type { Selection } from '#src/shared/lists/selection.ts';
import { useApi } from '#src/shared/services.tsx';
import styles from '#src/shared/ui/bulk.module.css';

export interface ChannelBulkBarProps {
  filter: string;
  /** How many the filter finds. */
  total: number;
  selection: Selection;
  onClear: () => void;
  onDelete: (opener: HTMLElement) => void;
}

/** How many channels are selected, the way to select all that is found, and their deletion. */
export function ChannelBulkBar({ filter, total, selection, onClear, onDelete }: ChannelBulkBarProps) {
  const { t } = useTranslation('channels');
  const count = selection.keys.size;
  return (
    <section className={styles.bar} aria-label={t('bulk.bar')}>
      <div className={styles.choices}>
        <ActionIcon variant="subtle" size="lg" aria-label={t('bulk.clear')} title={t('bulk.clear')} onClick={onClear}>
          <IconX size={18} aria-hidden="true" />
        </ActionIcon>
        <span className={styles.count} aria-live="polite">
          {t('bulk.count', { count })}
        </span>
        {count < total && <SelectAll filter={filter} total={total} selection={selection} />}
      </div>
      <div className={styles.barActs}>
        <Button
          variant="default"
          color="fault"
          leftSection={<IconTrash size={16} aria-hidden="true" />}
          onClick={(event) => onDelete(event.currentTarget)}
        >
          {t('bulk.delete')}
        </Button>
      </div>
    </section>
  );
}

function SelectAll({ filter, total, selection }: Pick<ChannelBulkBarProps, 'filter' | 'total' | 'selection'>) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const api = useApi();
  const words = useErrorWords();
  const isFiltered = filter.trim() !== '';
  const select = useMutation({
    mutationFn: () => api.call(getChannelIds, isFiltered ? filterQuery(filter, current) : {}),
    onSuccess: ({ res }) => selection.set(res, true),
    onError: (error) => notifications.show({ title: t('bulk.allFailed'), message: words(error) }),
  });
  return (
    <Button size="compact-sm" variant="subtle" loading={select.isPending} onClick={() => select.mutate()}>
      {t(isFiltered ? 'bulk.allFound' : 'bulk.all', { count: total })}
    </Button>
  );
}
