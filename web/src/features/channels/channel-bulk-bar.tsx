import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Selection } from '#src/shared/lists/selection.ts';
import { useApi } from '#src/shared/services.tsx';
import { SelectionBar } from '#src/shared/ui/selection-bar.tsx';
import { foundChannels } from './channels.queries.ts';

export interface ChannelBulkBarProps {
  filter: string;
  /** Number of channels that the filter finds. */
  total: number;
  selection: Selection;
  onClear: () => void;
  onDelete: (opener: HTMLElement) => void;
}

/** The bar of selected channels, with a button that deletes them. */
export function ChannelBulkBar({ filter, total, selection, onClear, onDelete }: ChannelBulkBarProps) {
  const { t } = useTranslation('channels');
  const { current } = useLanguage();
  const api = useApi();
  return (
    <SelectionBar
      isFiltered={filter.trim() !== ''}
      total={total}
      selection={selection}
      readKeys={() => foundChannels(api, filter, current)}
      onClear={onClear}
    >
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
