import type { UserId } from '@pressel/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName, usersQuery } from '#src/shared/api/users-query.ts';
import { useApi } from '#src/shared/services.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import styles from './channels.module.css';
import { matchingUsers } from './user-filter.ts';

export interface UserPickerProps {
  picked: ReadonlySet<UserId>;
  onToggle: (id: UserId) => void;
}

/** All users with a box to tick; the filter narrows what is shown, never what is picked. */
export function UserPicker({ picked, onToggle }: UserPickerProps) {
  const { t } = useTranslation('channels');
  const [filter, setFilter] = useState('');
  const users = useQuery(usersQuery(useApi()));
  const shown = matchingUsers(users.data ?? [], filter);
  return (
    <div>
      <div className={styles.pickHead}>
        <strong>{t('create.members')}</strong>
        <span className={styles.picked} aria-live="polite">
          {t('create.picked', { count: picked.size })}
        </span>
      </div>
      <FilterBox value={filter} onChange={setFilter} label={t('picker.filter')} />
      <div className={styles.list}>
        {users.isPending && <RowsSkeleton rows={6} />}
        {users.isError && <LoadError error={users.error} onRetry={() => void users.refetch()} />}
        {shown.map((user) => (
          <label className={styles.person} key={user.id}>
            <input type="checkbox" checked={picked.has(user.id)} onChange={() => onToggle(user.id)} />
            <span className={styles.personName} dir="auto">
              {fullName(user)}
            </span>
            <span className={styles.login}>{user.identifier}</span>
          </label>
        ))}
        {users.isSuccess && shown.length === 0 && (
          <p className={styles.nobody}>{users.data.length === 0 ? t('picker.none') : t('picker.noMatch')}</p>
        )}
      </div>
    </div>
  );
}
