import { Button, Checkbox, Modal } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useFaultWords } from '#src/shared/forms/field-rules.ts';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useUser } from '#src/shared/services.tsx';
import { FormActs } from '#src/shared/ui/form-dialog.tsx';
import { TroubleNote } from './form-parts.tsx';
import styles from './user-form.module.css';
import { usePasswordCheck } from './user-form.queries.ts';

export interface VerifyPasswordDialogProps {
  isOpen: boolean;
  /** The name of the person whose profile it is; undefined while it isn't known. */
  name: string | undefined;
  /** The user gave the password before, but too long ago to save now. */
  isAgain?: boolean;
  onVerified: () => void;
  onClose: () => void;
  /** Called when it is gone from the screen, for whatever reason. A caller that passes this gives the focus back as well. */
  onClosed?: () => void;
}

/** Asks for the signed-in user's own password (spec §6). */
export function VerifyPasswordDialog({ isOpen, onClose, onClosed, ...props }: VerifyPasswordDialogProps) {
  const { t } = useTranslation('userForm');
  const { t: shared } = useTranslation('shared');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      {...(onClosed === undefined ? {} : { onExitTransitionEnd: onClosed, returnFocus: false })}
      title={t('verify.title')}
      centered
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <VerifyPasswordForm {...props} onClose={onClose} />
    </Modal>
  );
}

function VerifyPasswordForm(props: Omit<VerifyPasswordDialogProps, 'isOpen' | 'onClosed'>) {
  const { name, isAgain = false, onVerified, onClose } = props;
  const { t } = useTranslation('userForm');
  const faultWords = useFaultWords();
  const words = useErrorWords();
  const user = useUser();
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const [isKept, setKept] = useState(false);
  const check = usePasswordCheck();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEmpty(password === '');
    if (password === '') field.current?.focus();
    else if (!check.isPending)
      check.mutate(
        { password, keep: isKept },
        {
          onSuccess: (isRight) => (isRight ? onVerified() : field.current?.select()),
          onError: () => field.current?.focus(),
        },
      );
  };

  const wrong = check.data === false ? t('verify.wrong') : undefined;
  const isLimited = errorCodeOf(check.error) === 'too_many';
  const purpose = name === undefined ? t('verify.textNobody') : t('verify.text', { name });
  const text = isAgain ? t('verify.textAgain') : purpose;
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <p>{text}</p>
      {check.isError && (
        <TroubleNote trouble={{ title: isLimited ? undefined : t('verify.failed'), text: words(check.error) }} />
      )}
      {/* Tells a password manager which account's password it is. */}
      <input type="text" autoComplete="username" value={user.identifier} readOnly hidden />
      <PasswordField
        label={t('verify.field')}
        value={password}
        onChange={(value) => {
          setPassword(value);
          setEmpty(false);
          check.reset();
        }}
        error={isEmpty ? faultWords('required') : wrong}
        autoComplete="current-password"
        inputRef={field}
        isFirst
      />
      <Checkbox label={t('verify.keep')} checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
      <FormActs form={{ cancel: onClose }}>
        <Button type="submit" loading={check.isPending}>
          {t(isAgain ? 'verify.submitAgain' : 'verify.submit')}
        </Button>
      </FormActs>
    </form>
  );
}
