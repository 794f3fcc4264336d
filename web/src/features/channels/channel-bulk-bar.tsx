import { Button } from '@mantine/core';
import { getChannelIds } from '@pressel/contract/channels';
import { IconTrash } from '@tabler/icons-react';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { filterQuery } from '#src/shared/lists/list-view.ts';
import type { Selection } from '#src/shared/lists/selection.ts';
import { useApi } from '#src/shared/services.tsx';
import { SelectionBar } from '#src/shared/ui/selection-bar.tsx';

export interface ChannelBulkBarProps {
  filter: string;
  /** How many the filter finds. */
  total: number;
  selection: Selection;
  onClear: () => void;
  onDelete: (opener: HTMLElement) => void;
}

/** The bar of selected channels, with their deletion. */
export function ChannelBulkBar({ filter, total, selection, onClear, onDelete }: ChannelBulkBarProps) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const api = useApi();
  const isFiltered = filter.trim() !== '';
  const readKeys = async () => (await api.call(getChannelIds, isFiltered ? filterQuery(filter, current) : {})).res;
  return (
    <SelectionBar isFiltered={isFiltered} total={total} selection={selection} readKeys={readKeys} onClear={onClear}>
      <Button
        variant="default"
        color="fault"
        leftSection={<IconTrash size={16} aria-hidden="true" />}
        onClick={(event) => onDelete(event.currentTarget)}
      >
        {t('bulk.delete')}
      </Button>
    </SelectionBar>
  );
}
