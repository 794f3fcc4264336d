import { Button, TextInput } from '@mantine/core';
import { signUpUser } from '@pressel/contract/auth';
import { NAME_MAX_LENGTH, PHONE_MAX_LENGTH } from '@pressel/contract/limits';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { type FieldFault, loginFault, nameFault, phoneFault } from '#src/shared/forms/field-rules.ts';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useFaultWords } from '#src/shared/forms/use-fault-words.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useApi } from '#src/shared/services.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './auth.module.css';

const EMPTY = { firstName: '', lastName: '', email: '', password: '', phone_number: '' };
type Field = keyof typeof EMPTY;
type Faults = Partial<Record<Field, FieldFault | undefined>>;

export interface SignUpFormProps {
  /** What the server asks for; checked here first. */
  passwordMinLength: number;
  onRegistered: (login: string) => void;
}

export function SignUpForm({ passwordMinLength, onRegistered }: SignUpFormProps) {
  const { t } = useTranslation('auth');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const words = useErrorWords();
  const faultWords = useFaultWords();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(EMPTY);
  const [faults, setFaults] = useState<Faults>({});
  const [isTooShort, setTooShort] = useState(false);

  const signUp = useMutation({
    mutationFn: () => api.call(signUpUser, values),
    onSuccess: () => onRegistered(values.email.trim()),
    onError: (error) => {
      if (errorCodeOf(error) === 'duplicate_login') focus('email');
    },
  });
  const isDuplicate = signUp.isError && errorCodeOf(signUp.error) === 'duplicate_login';

  const focus = (field: Field) => form.current?.querySelector<HTMLInputElement>(`[name="${INPUT[field]}"]`)?.focus();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(values);
    const short = found.password === undefined && values.password.length < passwordMinLength;
    setFaults(found);
    setTooShort(short);
    const first = FIELDS.find((field) => found[field] !== undefined) ?? (short ? 'password' : undefined);
    if (first !== undefined) focus(first);
    else if (!signUp.isPending) signUp.mutate();
  };

  const text = (field: Exclude<Field, 'password'>) => ({
    name: INPUT[field],
    value: values[field],
    onChange: (event: { currentTarget: HTMLInputElement }) => set(field, event.currentTarget.value),
  });
  const set = (field: Field, value: string) => {
    setValues((known) => ({ ...known, [field]: value }));
    setFaults((known) => ({ ...known, [field]: undefined }));
    if (field === 'email' && isDuplicate) signUp.reset();
    if (field === 'password') setTooShort(false);
  };

  return (
    <form className={styles.form} onSubmit={submit} ref={form} noValidate>
      {signUp.isError && !isDuplicate && <InlineError>{words(signUp.error)}</InlineError>}
      <div className={styles.pair}>
        <TextInput
          {...text('firstName')}
          label={t('field.firstName')}
          autoComplete="given-name"
          error={faultWords(faults.firstName, NAME_MAX_LENGTH)}
          required
          withAsterisk={false}
          autoFocus
        />
        <TextInput
          {...text('lastName')}
          label={t('field.lastName')}
          autoComplete="family-name"
          error={faultWords(faults.lastName, NAME_MAX_LENGTH)}
          required
          withAsterisk={false}
        />
      </div>
      <TextInput
        {...text('email')}
        label={t('field.login')}
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={isDuplicate ? words(signUp.error) : faultWords(faults.email)}
        required
        withAsterisk={false}
      />
      <PasswordField
        label={t('field.password')}
        value={values.password}
        onChange={(value) => set('password', value)}
        error={
          isTooShort ? shared('errors.password_too_short', { count: passwordMinLength }) : faultWords(faults.password)
        }
        autoComplete="new-password"
        withMeter
      />
      <TextInput
        {...text('phone_number')}
        label={t('field.phone')}
        type="tel"
        autoComplete="tel"
        error={faultWords(faults.phone_number, PHONE_MAX_LENGTH)}
      />
      <Button type="submit" loading={signUp.isPending} fullWidth>
        {t('signUp.submit')}
      </Button>
    </form>
  );
}

const FIELDS = ['firstName', 'lastName', 'email', 'password', 'phone_number'] as const satisfies readonly Field[];
/** The names of the inputs, which password managers read. */
const INPUT: Record<Field, string> = {
  firstName: 'firstName',
  lastName: 'lastName',
  email: 'login',
  password: 'password',
  phone_number: 'phone',
};

const faultsOf = (values: typeof EMPTY): Faults => ({
  firstName: nameFault(values.firstName),
  lastName: nameFault(values.lastName),
  email: loginFault(values.email),
  password: values.password === '' ? 'required' : undefined,
  phone_number: phoneFault(values.phone_number),
});
