import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type User, updatePasswordUser } from '@pressel/contract/users';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useFaultWords } from '#src/shared/forms/field-rules.ts';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { EditTop, LeaveGuard, TroubleNote } from '../form/form-parts.tsx';
import { useUserEdit } from '../form/use-user-edit.ts';
import { useEditSubmit, useUserSave } from '../form/use-user-save.ts';
import { fieldOf, PasswordPair, TextField, useTrouble, useUserForm } from '../form/user-fields.tsx';
import forms from '../form/user-form.module.css';
import { usePasswordCheck, userQuery } from '../form/user-form.queries.ts';
import { NO_USER, passwordFaults } from '../form/user-form.rules.ts';
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

/** The user's own names, number and photo. */
function ProfileForm({ start }: { start: User }) {
  const { t } = useTranslation('userForm');
  const words = useErrorWords();
  const edit = useUserEdit(start);
  const { form } = edit;
  const save = useUserSave(edit, {
    isByAdmin: false,
    onSaved: () => notifications.show({ message: t('profile.done') }),
  });
  const { text } = useTrouble(save.error);

  const submission = useEditSubmit(edit, save, () => notifications.show({ message: t('profile.unchanged') }));
  const { submit, summary } = submission;
  const reason = text ?? (summary && t(`fault.${summary}`));
  return (
    <form className={forms.form} onSubmit={submit} ref={form.ref} noValidate>
      <EditTop edit={edit} submission={submission} isSaving={save.isPending} />
      <div className={forms.grid}>
        <TextField form={form} field="firstName" autoComplete="given-name" isRequired />
        <TextField form={form} field="lastName" autoComplete="family-name" isRequired />
        <TextField form={form} field="pseudo" autoComplete="nickname" />
        <TextField form={form} field="phone" autoComplete="tel" />
      </div>
      {save.photoError !== undefined && (
        <TroubleNote trouble={{ title: t('edit.photoFailed'), text: words(save.photoError) }} />
      )}
      {reason !== undefined && <TroubleNote trouble={{ title: t('profile.failed'), text: reason }} />}
      <div className={styles.acts}>
        <Button type="submit" loading={save.isPending}>
          {t('profile.submit')}
        </Button>
      </div>
      <LeaveGuard isUnsaved={edit.isChanged} />
    </form>
  );
}

/** Changes the user's own password: asks for the current one first, then the new one twice. */
function OwnPasswordForm() {
  const { t } = useTranslation('userForm');
  const faultWords = useFaultWords();
  const user = useUser();
  const form = useUserForm(NO_USER);
  const currentRef = useRef<HTMLInputElement>(null);
  const [current, setCurrent] = useState('');
  const [currentFault, setCurrentFault] = useState<'required' | 'wrong'>();
  const change = usePasswordChange(() => {
    setCurrent('');
    form.replace(NO_USER);
  });
  const { refusals, text } = useTrouble(change.error);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (change.isPending) return;
    change.reset();
    setCurrentFault(current === '' ? 'required' : undefined);
    const isFine = form.accept(passwordFaults(form.values));
    if (current === '') currentRef.current?.focus();
    else if (isFine)
      change.mutate(
        { current, next: form.values.password },
        {
          onSuccess: (isRight) => {
            if (isRight) return;
            setCurrentFault('wrong');
            currentRef.current?.select();
          },
          onError: (error) => {
            const field = fieldOf(error);
            if (field !== undefined) form.focus(field);
          },
        },
      );
  };

  return (
    <form className={forms.form} onSubmit={submit} ref={form.ref} noValidate>
      <p className={styles.note}>{t('profile.passwordText')}</p>
      {/* Tells a password manager which account's password it is. */}
      <input type="text" autoComplete="username" value={user.identifier} readOnly hidden />
      <PasswordField
        label={t('profile.current')}
        name="current"
        value={current}
        onChange={(value) => {
          setCurrent(value);
          setCurrentFault(undefined);
        }}
        error={currentFault === 'wrong' ? t('verify.wrong') : faultWords(currentFault)}
        autoComplete="current-password"
        inputRef={currentRef}
      />
      <PasswordPair
        form={form}
        refusals={refusals}
        label={t('field.newPassword')}
        personal={[user.identifier, user.firstName, user.lastName, user.pseudo]}
        isStacked
      />
      {text !== undefined && <TroubleNote trouble={{ title: t('profile.passwordFailed'), text }} />}
      <div className={styles.acts}>
        <Button type="submit" loading={change.isPending}>
          {t('profile.passwordSubmit')}
        </Button>
      </div>
      <LeaveGuard isUnsaved={current !== '' || form.values.password !== '' || form.values.repetition !== ''} />
    </form>
  );
}

/** Resolves to whether the current password was right; only then is it changed. */
function usePasswordChange(onChanged: () => void) {
  const { t } = useTranslation('userForm');
  const api = useApi();
  const { id } = useUser();
  const check = usePasswordCheck();
  return useMutation({
    mutationFn: async ({ current, next }: { current: string; next: string }): Promise<boolean> => {
      const isRight = await check.mutateAsync({ password: current, keep: false });
      if (isRight) await api.call(updatePasswordUser, { id, password: next });
      return isRight;
    },
    onSuccess: (isRight) => {
      if (!isRight) return;
      onChanged();
      notifications.show({ title: t('profile.passwordDone'), message: t('profile.passwordDoneText') });
    },
  });
}
