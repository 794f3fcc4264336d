import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, type TablerIcon } from '@tabler/icons-react';
import { Fragment, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

export interface RowMenuAct {
  label: string;
  icon: TablerIcon;
  /** A line stands before it: what destroys is apart from the rest. */
  isApart?: boolean;
  /** `opener`: the menu's button, for the focus to come back to. */
  onPick: (opener: HTMLElement | null) => void;
}

/**
 * The button of a row, and its menu from the first use on: a menu takes longer to make than all the rest of a row, and a
 * list has a hundred of them.
 */
export function RowMenu({ label, acts }: { label: string; acts: readonly RowMenuAct[] }) {
  const button = useRef<HTMLButtonElement>(null);
  const [isMade, setMade] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    // The menu brings a button of its own, which must have the focus before it opens: it gets it back at the end.
    flushSync(() => setMade(true));
    button.current?.focus();
    setOpen(true);
  };
  const more = (
    <ActionIcon
      ref={button}
      variant="subtle"
      size="lg"
      aria-label={label}
      {...(isMade ? {} : { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: open })}
    >
      <IconDots size={18} aria-hidden="true" />
    </ActionIcon>
  );
  if (!isMade) return more;
  return (
    <Menu position="bottom-end" offset={4} opened={isOpen} onChange={setOpen}>
      <Menu.Target>{more}</Menu.Target>
      <Menu.Dropdown>
        {acts.map(({ label: name, icon: Icon, isApart = false, onPick }) => (
          <Fragment key={name}>
            {isApart && <Menu.Divider />}
            <Menu.Item leftSection={<Icon size={16} aria-hidden="true" />} onClick={() => onPick(button.current)}>
              {name}
            </Menu.Item>
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
