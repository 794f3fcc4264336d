import { ActionIcon, Menu } from '@mantine/core';
import type { User } from '@pressel/contract/users';
import { IconDots, IconPencil, IconPlugConnectedX, IconTrash } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { fullName } from '#src/shared/format/format.ts';
import type { RowAct } from './user-acts-dialogs.tsx';
import styles from './users.module.css';

export interface UserActsProps {
  user: User;
  /** `opener` is where the focus came from, here and below. */
  onEdit: (user: User, opener: HTMLElement | null) => void;
  onAsk: (act: RowAct, user: User, opener: HTMLElement | null) => void;
}

/** What can be done to one user: the frequent acts as icons where there is room, all of them in the menu. */
export function UserActs({ user, onEdit, onAsk }: UserActsProps) {
  const { t } = useTranslation('users');
  const name = fullName(user);
  return (
    <span className={styles.acts}>
      <ActionIcon
        className={styles.icon}
        variant="subtle"
        aria-label={t('act.editName', { name })}
        title={t('act.edit')}
        onClick={(event) => onEdit(user, event.currentTarget)}
      >
        <IconPencil size={18} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon
        className={styles.icon}
        variant="subtle"
        aria-label={t('act.deleteName', { name })}
        title={t('act.delete')}
        onClick={(event) => onAsk('delete', user, event.currentTarget)}
      >
        <IconTrash size={18} aria-hidden="true" />
      </ActionIcon>
      <MoreMenu user={user} onEdit={onEdit} onAsk={onAsk} />
    </span>
  );
}

/**
 * The button of a row, and its menu from the first use on: a menu takes longer to make than all the rest of a row, and a
 * list has a hundred of them.
 */
function MoreMenu({ user, onEdit, onAsk }: UserActsProps) {
  const { t } = useTranslation('users');
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
      aria-label={t('act.moreName', { name: fullName(user) })}
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
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden="true" />}
          onClick={() => onEdit(user, button.current)}
        >
          {t('act.edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPlugConnectedX size={16} aria-hidden="true" />}
          onClick={() => onAsk('disconnect', user, button.current)}
        >
          {t('act.disconnect')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTrash size={16} aria-hidden="true" />}
          onClick={() => onAsk('delete', user, button.current)}
        >
          {t('act.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
