import type { User } from '@pressel/contract/users';
import { nameDirection } from '../format/format.ts';
import { memberName } from '../format/member-name.ts';
import { useTranslation } from '../i18n/use-translation.tsx';
import type { Column } from '../ui/data-table.tsx';
import { useIsNarrow } from '../ui/use-is-narrow.ts';
import type { UserColumn } from './lists.queries.ts';
import styles from './pickers.module.css';

/**
 * The columns that identify users in choices: names, pseudo and login. On phones one column stacks them, because names
 * alone don't tell two people of one name apart.
 * @param loginWidth width of the login's column
 */
export function useUserColumns(loginWidth: string): Column<User>[] {
  const { t } = useTranslation('shared');
  const isNarrow = useIsNarrow();
  const text = (id: UserColumn, header: string, read: (user: User) => string): Column<User> => ({
    id,
    header,
    cell: (user) => <bdi title={read(user)}>{read(user)}</bdi>,
    isSortable: true,
  });
  const lastName = text('lastName', t('picker.lastName'), (user) => user.lastName);
  if (isNarrow) return [{ ...lastName, cell: (user) => <Person user={user} /> }];
  return [
    text('firstName', t('picker.firstName'), (user) => user.firstName),
    lastName,
    { ...text('pseudo', t('picker.pseudo'), (user) => user.pseudo), width: '18%' },
    { ...text('login', t('picker.login'), (user) => user.identifier), width: loginWidth },
  ];
}

function Person({ user }: { user: User }) {
  const name = memberName(user);
  return (
    <span className={styles.person}>
      <bdi title={name} dir={nameDirection(name)}>
        {name}
      </bdi>
      <bdi className={styles.login} title={user.identifier}>
        {user.identifier}
      </bdi>
    </span>
  );
}
