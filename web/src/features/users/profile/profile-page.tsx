import type { User } from '@pressel/contract/users';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { userQuery } from '../form/user-form.queries.ts';
import { OwnPasswordForm } from './own-password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import styles from './profile-page.module.css';

/** The user's own account: for everybody. */
export function ProfilePage() {
  const { t } = useTranslation('userForm');
  const account = useQuery(userQuery(useApi(), useUser().id));
  return (
    <Page title={t('profile.title')}>
      {account.data ? (
        <div className={styles.cards}>
          <section className={styles.card} aria-labelledby="profile-details">
            <h2 id="profile-details">{t('profile.details')}</h2>
            <ProfileForm start={account.data} />
          </section>
          <section className={styles.card} aria-labelledby="profile-password">
            <h2 id="profile-password">{t('profile.password')}</h2>
            <OwnPasswordForm />
          </section>
          <section className={styles.card} aria-labelledby="profile-access">
            <h2 id="profile-access">{t('profile.access')}</h2>
            <Access user={account.data} />
          </section>
        </div>
      ) : account.isError ? (
        <LoadError error={account.error} onRetry={() => void account.refetch()} />
      ) : (
        <RowsSkeleton rows={8} />
      )}
    </Page>
  );
}

/** Shows what only an administrator can change. */
function Access({ user }: { user: User }) {
  const { t } = useTranslation('userForm');
  const facts = [
    { label: t('profile.login'), value: <bdi>{user.identifier}</bdi> },
    { label: t('field.role'), value: t(`role.${user.role}`) },
    { label: t('field.mapRight'), value: t(user.mapRight ? 'yes' : 'no') },
  ];
  return (
    <>
      <dl className={styles.facts}>
        {facts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>{t('profile.accessText')}</p>
    </>
  );
}
