import { ActionIcon, Menu } from '@mantine/core';
import type { User } from '@pressel/contract/users';
import { IconDots, IconPencil, IconPlugConnectedX, IconTrash } from '@tabler/icons-react';
import { useRef } from 'react';
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
  const moreRef = useRef<HTMLButtonElement>(null);
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
      <Menu position="bottom-end" offset={4}>
        <Menu.Target>
          <ActionIcon ref={moreRef} variant="subtle" size="lg" aria-label={t('act.moreName', { name })}>
            <IconDots size={18} aria-hidden="true" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={16} aria-hidden="true" />}
            onClick={() => onEdit(user, moreRef.current)}
          >
            {t('act.edit')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPlugConnectedX size={16} aria-hidden="true" />}
            onClick={() => onAsk('disconnect', user, moreRef.current)}
          >
            {t('act.disconnect')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconTrash size={16} aria-hidden="true" />}
            onClick={() => onAsk('delete', user, moreRef.current)}
          >
            {t('act.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}
