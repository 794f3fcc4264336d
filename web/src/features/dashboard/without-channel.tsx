import { UnstyledButton } from '@mantine/core';
import type { Dashboard } from '@pressel/contract/dashboard';
import type { UserId } from '@pressel/contract/ids';
import { IconUserQuestion } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { MoreLink } from './card.tsx';
import styles from './dashboard.module.css';

export interface WithoutChannelProps {
  people: Extract<Dashboard, { role: 'admin' }>['withoutChannel'];
  /** Edits this user, channels included. */
  onEditUser: (id: UserId) => void;
}

/** Members who can talk with nobody yet, such as those who signed up themselves [DASH16]. */
export function WithoutChannel({ people, onEditUser }: WithoutChannelProps) {
  const { t } = useTranslation('dashboard');
  const { count, users } = people;
  if (count === 0) return null;
  const more = count - users.length;
  return (
    <section className={styles.without} aria-label={t('without.label')}>
      <IconUserQuestion size={20} aria-hidden="true" />
      <p>{t('without.count', { count })}</p>
      <ul>
        {users.map(({ userId, name }) => (
          <li key={userId}>
            <UnstyledButton
              className={styles.withoutName}
              aria-label={t('without.edit', { name })}
              onClick={() => onEditUser(userId)}
            >
              <bdi>{name}</bdi>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {more > 0 && <MoreLink to="/usersList">{t('live.more', { count: more })}</MoreLink>}
    </section>
  );
}
