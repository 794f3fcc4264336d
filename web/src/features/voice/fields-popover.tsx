import { Popover } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import styles from './voice-settings.module.css';

export interface FieldsPopoverProps {
  /** Title and accessible name of the popover. */
  label: string;
  /** Width in px, on screens that have room for it. */
  width: number;
  button: ReactElement;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  children: ReactNode;
}

/** A few settings in a popover at their button, which gets the focus back. */
export function FieldsPopover({ label, width, button, isOpen, onOpen, children }: FieldsPopoverProps) {
  return (
    <Popover
      opened={isOpen}
      onChange={onOpen}
      position="bottom-end"
      // On a low screen the fields scroll instead of ending below it.
      middlewares={{ flip: true, shift: true, size: { padding: 8 } }}
      width={`min(${width}px, calc(100vw - 24px))`}
      trapFocus
      returnFocus
      shadow="md"
      withinPortal
    >
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown aria-label={label} className={styles.popover ?? ''}>
        <div className={styles.fields}>
          <h2 className={styles.title}>{label}</h2>
          {children}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
