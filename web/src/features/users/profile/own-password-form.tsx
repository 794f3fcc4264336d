import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { updatePasswordUser } from '@pressel/contract/users';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useFaultWords } from '#src/shared/forms/use-fault-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { LeaveGuard, TroubleNote } from '../form/form-parts.tsx';
import { usePasswordCheck } from '../form/use-password-check.ts';
import { fieldOf, useTrouble } from '../form/use-trouble.ts';
import { useUserForm } from '../form/use-user-form.ts';
import { PasswordPair } from '../form/user-fields.tsx';
import forms from '../form/user-form.module.css';
import { NO_USER, passwordFaults } from '../form/user-form.rules.ts';
import styles from './profile-page.module.css';

/** Changes the user's own password: asks for the current one first, then the new one twice. */
export function OwnPasswordForm() {
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
