import { CloseButton, TextInput } from '@mantine/core';
import { FILTER_MAX_LENGTH } from '@pressel/contract/limits';
import { IconSearch } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.tsx';
import styles from './filter-box.module.css';
import { isComposing } from './is-composing.ts';

export interface FilterBoxProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
}

/** A text field that filters a list while typing. Escape clears it. */
export function FilterBox({ value, onChange, label }: FilterBoxProps) {
  const { t } = useTranslation('shared');
  const field = useRef<HTMLInputElement>(null);
  return (
    <TextInput
      ref={field}
      className={styles.box}
      type="search"
      value={value}
      // No address and no call accepts more: they would drop the filter, and with it this text.
      maxLength={FILTER_MAX_LENGTH}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' && focusFirstRow(event.currentTarget)) event.preventDefault();
        if (event.key !== 'Escape' || value === '' || isComposing(event)) return;
        // In a dialog the first Escape clears the filter, the second closes the dialog.
        event.stopPropagation();
        event.preventDefault();
        onChange('');
      }}
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        value === '' ? null : (
          <CloseButton
            size="md"
            aria-label={t('clearFilter')}
            onClick={() => {
              onChange('');
              // The button is removed with the text.
              field.current?.focus();
            }}
          />
        )
      }
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** Moves the focus into the filtered list. @returns false when it has no rows */
function focusFirstRow(filter: Element): boolean {
  const place = filter.closest('[role=dialog], section, main');
  const row = place?.querySelector('tbody tr');
  const control = row?.querySelector<HTMLElement>('a, button') ?? row?.querySelector<HTMLElement>('input');
  control?.focus();
  return control !== null && control !== undefined;
}
