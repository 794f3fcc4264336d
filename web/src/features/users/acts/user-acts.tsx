import { ActionIcon } from '@mantine/core';
import type { User } from '@pressel/contract/users';
import { IconClipboardList, IconPencil, IconPlugConnectedX, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { fullName } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { RowMenu } from '#src/shared/ui/row-menu.tsx';
import type { RowMenuAct } from '#src/shared/ui/row-menu-list.tsx';
import { useIsNarrow } from '#src/shared/ui/use-is-narrow.ts';
import styles from '../users.module.css';
import type { RowAct } from './user-acts-dialogs.tsx';

export interface UserActsProps {
  user: User;
  /** `opener` is the element that the focus came from, here and below. */
  onEdit: (user: User, opener: HTMLElement | null) => void;
  onAsk: (act: RowAct, user: User, opener: HTMLElement | null) => void;
}

/**
 * The acts on one user. Frequent acts are icons where there is room, the others are in a menu; on phones all of them
 * are. Deleting is never beside editing.
 */
export function UserActs({ user, onEdit, onAsk }: UserActsProps) {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const name = fullName(user);
  const others: RowMenuAct[] = [
    {
      label: t('act.log'),
      icon: IconClipboardList,
      onPick: () => void navigate({ to: '/activities', search: { by: user.id, scope: 'all' } }),
    },
    { label: t('act.disconnect'), icon: IconPlugConnectedX, onPick: (opener) => onAsk('disconnect', user, opener) },
  ];
  const all: RowMenuAct[] = [
    { label: t('act.edit'), icon: IconPencil, onPick: (opener) => onEdit(user, opener) },
    ...others,
    { label: t('act.delete'), icon: IconTrash, isApart: true, onPick: (opener) => onAsk('delete', user, opener) },
  ];
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
      <RowMenu label={t('act.moreName', { name })} acts={useIsNarrow() ? all : others} />
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
