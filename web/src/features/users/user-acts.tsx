import { ActionIcon } from '@mantine/core';
import type { User } from '@pressel/contract/users';
import { IconPencil, IconPlugConnectedX, IconTrash } from '@tabler/icons-react';
import { fullName } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { RowMenu } from '#src/shared/ui/row-menu.tsx';
import type { RowAct } from './user-acts-dialogs.tsx';
import styles from './users.module.css';

export interface UserActsProps {
  user: User;
  /** `opener` is where the focus came from, here and below. */
  onEdit: (user: User, opener: HTMLElement | null) => void;
  onAsk: (act: RowAct, user: User, opener: HTMLElement | null) => void;
}

/**
 * What can be done to one user: the frequent acts as icons where there is room, all of them in the menu. Deleting is never
 * beside editing.
 */
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
      <RowMenu
        label={t('act.moreName', { name })}
        acts={[
          { label: t('act.edit'), icon: IconPencil, onPick: (opener) => onEdit(user, opener) },
          {
            label: t('act.disconnect'),
            icon: IconPlugConnectedX,
            onPick: (opener) => onAsk('disconnect', user, opener),
          },
          { label: t('act.delete'), icon: IconTrash, isApart: true, onPick: (opener) => onAsk('delete', user, opener) },
        ]}
      />
      <ActionIcon
        className={styles.icon}
        variant="subtle"
        aria-label={t('act.deleteName', { name })}
        title={t('act.delete')}
        onClick={(event) => onAsk('delete', user, event.currentTarget)}
      >
        <IconTrash size={18} aria-hidden="true" />
      </ActionIcon>
    </span>
  );
}
