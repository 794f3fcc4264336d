import { Button, TextInput } from '@mantine/core';
import { signUpUser } from '@pressel/contract/auth';
import type { Role } from '@pressel/contract/credentials';
import { NAME_MAX_LENGTH, PHONE_MAX_LENGTH, SETUP_CODE_MAX_LENGTH } from '@pressel/contract/limits';
import { IconInfoCircle, IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import {
  type FieldFault,
  loginFault,
  nameFault,
  passwordFault,
  phoneFault,
  useFaultWords,
} from '#src/shared/forms/field-rules.ts';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { InlineError, Notice } from '#src/shared/ui/notice.tsx';
import styles from './auth.module.css';
import { AuthFrame } from './auth-frame.tsx';
import { useAct, useServerInfo, useSignIn } from './auth-server.ts';

export function SignUpPage(props: Pick<SignUpFormProps, 'onSignedIn' | 'onRegistered'>) {
  const { t } = useTranslation('auth');
  const server = useServerInfo();
  const { info } = server;
  if (info?.signup === 'closed') {
    return (
      <AuthFrame title={t('signUp.title')} server={server}>
        <Notice
          icon={IconLock}
          title={t('signUp.closed')}
          acts={<Button renderRoot={(props) => <Link to="/signin" {...props} />}>{t('signUp.toSignIn')}</Button>}
        >
          {t('signUp.closedText')}
        </Notice>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame title={t('signUp.title')} server={server}>
      <div className={styles.form}>
        {info?.isFirstUser && (
          <>
            <p className={styles.what}>{t('signUp.what')}</p>
            <p className={styles.note}>
              <IconInfoCircle size={18} aria-hidden="true" />
              {t('signUp.first')}
            </p>
          </>
        )}
        <SignUpForm
          passwordMinLength={info?.passwordMinLength ?? 1}
          needsSetupCode={info?.needsSetupCode ?? false}
          {...props}
        />
        {info?.isFirstUser !== true && (
          <p className={styles.other}>
            {t('signUp.hasAccount')} <Link to="/signin">{t('signUp.toSignIn')}</Link>
          </p>
        )}
      </div>
    </AuthFrame>
  );
}

const EMPTY = { setupCode: '', firstName: '', lastName: '', email: '', password: '', phone_number: '' };
type Field = keyof typeof EMPTY;
type Faults = Partial<Record<Field, FieldFault | undefined>>;

interface SignUpFormProps {
  /** The server's minimum; checked here first. */
  passwordMinLength: number;
  /** This is the first account of the server, and the server printed a code for it. */
  needsSetupCode: boolean;
  /** Called when the account is made and its session is open. */
  onSignedIn: (role: Role) => void;
  /** Called when the account is made, but signing in failed. */
  onRegistered: (login: string) => void;
}

function SignUpForm({ passwordMinLength, needsSetupCode, onSignedIn, onRegistered }: SignUpFormProps) {
  const { t } = useTranslation('auth');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const openSession = useSignIn();
  const words = useErrorWords();
  const faultWords = useFaultWords();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(EMPTY);
  const [faults, setFaults] = useState<Faults>({});
  const [isTooShort, setTooShort] = useState(false);
  const [isRefused, setRefused] = useState(false);

  const focus = (field: Field) => form.current?.querySelector<HTMLInputElement>(`[name="${INPUT[field]}"]`)?.focus();

  const signUp = useAct(
    async () => {
      const { setupCode, ...account } = values;
      const { user } = await api.call(signUpUser, asksCode ? { ...account, setupCode } : account);
      // [AUTH22] The account is made: if only signing in fails, the sign-in page says so and tries again.
      await openSession(values.email, values.password, false).then(
        () => onSignedIn(user.role),
        () => onRegistered(values.email.trim()),
      );
    },
    (error) => {
      const field = FIELD_OF[errorCodeOf(error)];
      if (field === 'setupCode') setRefused(true);
      if (field !== undefined) focus(field);
    },
  );
  const isFailed = signUp.error !== undefined;
  const refusedField = isFailed ? FIELD_OF[errorCodeOf(signUp.error)] : undefined;
  // The server may ask for the code by now though it did not before.
  const asksCode = needsSetupCode || isRefused;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(values, asksCode);
    const short = found.password === undefined && values.password.length < passwordMinLength;
    setFaults(found);
    setTooShort(short);
    const first = FIELDS.find((field) => found[field] !== undefined) ?? (short ? 'password' : undefined);
    if (first !== undefined) focus(first);
    else signUp.run();
  };

  const text = (field: Exclude<Field, 'password'>) => ({
    name: INPUT[field],
    value: values[field],
    onChange: (event: { currentTarget: HTMLInputElement }) => set(field, event.currentTarget.value),
  });
  const set = (field: Field, value: string) => {
    setValues((known) => ({ ...known, [field]: value }));
    setFaults((known) => ({ ...known, [field]: undefined }));
    if (field === refusedField) signUp.reset();
    if (field === 'password') setTooShort(false);
  };

  return (
    <form className={styles.form} onSubmit={submit} ref={form} noValidate>
      {isFailed && refusedField === undefined && <InlineError>{words(signUp.error)}</InlineError>}
      {asksCode && (
        <TextInput
          {...text('setupCode')}
          label={t('field.setupCode')}
          description={t('field.setupCodeHelp')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={SETUP_CODE_MAX_LENGTH}
          // The field appears when the server asks for the code, perhaps after a refusal. A field in which the user
          // types keeps the focus.
          autoFocus={isRefused || Object.values(values).every((value) => value === '')}
          error={refusedField === 'setupCode' ? words(signUp.error) : faultWords(faults.setupCode)}
          required
          withAsterisk={false}
        />
      )}
      <div className={styles.pair}>
        <TextInput
          {...text('firstName')}
          label={t('field.firstName')}
          autoComplete="given-name"
          error={faultWords(faults.firstName, NAME_MAX_LENGTH)}
          required
          withAsterisk={false}
          autoFocus={!asksCode}
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
        error={refusedField === 'email' ? words(signUp.error) : faultWords(faults.email)}
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
        personal={[values.email, values.firstName, values.lastName]}
      />
      <TextInput
        {...text('phone_number')}
        label={t('field.phone')}
        type="tel"
        autoComplete="tel"
        error={faultWords(faults.phone_number, PHONE_MAX_LENGTH)}
      />
      <Button type="submit" loading={signUp.isRunning} fullWidth>
        {t('signUp.submit')}
      </Button>
    </form>
  );
}

const FIELDS = [
  'setupCode',
  'firstName',
  'lastName',
  'email',
  'password',
  'phone_number',
] as const satisfies readonly Field[];
/** The names of the inputs, which password managers read. */
const INPUT: Record<Field, string> = {
  setupCode: 'setupCode',
  firstName: 'firstName',
  lastName: 'lastName',
  email: 'login',
  password: 'password',
  phone_number: 'phone',
};

/** Refusals about one field are shown at that field. */
const FIELD_OF: Partial<Record<string, Field>> = { duplicate_login: 'email', wrong_setup_code: 'setupCode' };

const faultsOf = (values: typeof EMPTY, asksCode: boolean): Faults => ({
  setupCode: asksCode && values.setupCode.trim() === '' ? 'required' : undefined,
  firstName: nameFault(values.firstName),
  lastName: nameFault(values.lastName),
  email: loginFault(values.email),
  password: passwordFault(values.password),
  phone_number: phoneFault(values.phone_number),
});
