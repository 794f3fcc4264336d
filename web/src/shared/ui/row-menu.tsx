import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { loadableChunk } from '../renewal.ts';
import type { RowMenuAct } from './row-menu-list.tsx';
import { useMadeMenu } from './use-made-menu.ts';

/** Loads the menu's code ahead of time. */
export const loadRowMenu = loadableChunk(() => import('./row-menu-list.tsx'));

/** The button of a row. Its menu is made on first use, because a list has a hundred of them. */
export function RowMenu({ label, acts }: { label: string; acts: readonly RowMenuAct[] }) {
  const { buttonRef, made, isOpen, setOpen, opens } = useMadeMenu(loadRowMenu);
  const button = (
    <ActionIcon ref={buttonRef} variant="subtle" size="lg" aria-label={label} {...opens}>
      <IconDots size={18} aria-hidden="true" />
    </ActionIcon>
  );
  if (made === undefined) return button;
  return (
    <made.RowMenuList
      button={button}
      acts={acts}
      isOpen={isOpen}
      onOpen={setOpen}
      onPick={({ onPick }) => onPick(buttonRef.current)}
    />
  );
}
