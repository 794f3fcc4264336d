import { Menu } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import { Fragment, type ReactElement } from 'react';

export interface RowMenuAct {
  label: string;
  icon: TablerIcon;
  /** A line before it separates destructive acts from the rest. */
  isApart?: boolean;
  /** `opener`: the menu's button, to which the focus returns. */
  onPick: (opener: HTMLElement | null) => void;
}

export interface RowMenuListProps {
  button: ReactElement;
  acts: readonly RowMenuAct[];
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onPick: (act: RowMenuAct) => void;
}

/** A row's button with its menu. */
export function RowMenuList({ button, acts, isOpen, onOpen, onPick }: RowMenuListProps) {
  return (
    <Menu position="bottom-end" offset={4} opened={isOpen} onChange={onOpen}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {acts.map((act) => (
          <Fragment key={act.label}>
            {act.isApart && <Menu.Divider />}
            <Menu.Item leftSection={<act.icon size={16} aria-hidden="true" />} onClick={() => onPick(act)}>
              {act.label}
            </Menu.Item>
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
