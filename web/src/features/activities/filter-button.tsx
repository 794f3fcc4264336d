import { ActionIcon, Button, Popover } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './activity-filters.module.css';

export interface FilterButtonProps {
  /** The subject of the filter. */
  name: string;
  /** The filter's setting in words; undefined while it is off. */
  value: string | undefined;
  onOff: () => void;
  children: (close: () => void) => ReactNode;
}

/** A filter as a button that opens its choices; a second one beside it takes it away. */
export function FilterButton({ name, value, onOff, children }: FilterButtonProps) {
  const { t } = useTranslation('activityLog');
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isOn = value !== undefined;
  return (
    <div className={styles.filter} data-on={isOn || undefined}>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus shadow="md">
        <Popover.Target>
          <Button
            ref={button}
            variant="default"
            className={styles.filterButton}
            classNames={{ label: styles.words }}
            title={value}
            rightSection={isOn ? undefined : <IconChevronDown size={14} aria-hidden="true" />}
            onClick={() => setOpen(!isOpen)}
          >
            {value ?? name}
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={styles.choices} aria-label={name}>
          {children(() => setOpen(false))}
        </Popover.Dropdown>
      </Popover>
      {isOn && (
        <ActionIcon
          variant="default"
          size="var(--control)"
          className={styles.off}
          aria-label={t('filter.off', { name })}
          onClick={() => {
            onOff();
            // This button is removed with the filter.
            button.current?.focus();
          }}
        >
          <IconX size={14} aria-hidden="true" />
        </ActionIcon>
      )}
    </div>
  );
}
