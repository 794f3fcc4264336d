import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { Link, Navigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { type FieldFault, loginFault, useFaultWords } from '#src/shared/forms/field-rules.ts';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './auth.module.css';
import { AuthFrame } from './auth-frame.tsx';
import { useAct, useServerInfo, useSignIn } from './auth-server.ts';

export interface SignInPageProps {
  /** The login of an account just registered, filled in beforehand. */
  registeredLogin: string | undefined;
  /** The server ended the previous session, and the page says so. */
  isExpired: boolean;
  onSignedIn: () => void;
}

export function SignInPage({ registeredLogin, isExpired, onSignedIn }: SignInPageProps) {
  const { t } = useTranslation('auth');
  const openSession = useSignIn();
  const words = useErrorWords();
  const faultWords = useFaultWords();
  const server = useServerInfo();
  const { info } = server;
  const [login, setLogin] = useState(registeredLogin ?? '');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const [faults, setFaults] = useState<{ login?: FieldFault | undefined; password?: FieldFault | undefined }>({});
  const loginRef = useRef<HTMLInputElement>(null);
  const passwordRef = useRef<HTMLInputElement>(null);

  const signIn = useAct(
    async () => {
      await openSession(login, password, remember);
      onSignedIn();
    },
    () => passwordRef.current?.focus(),
  );
  const isRefused = signIn.error !== undefined;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = { login: loginFault(login), password: password === '' ? ('required' as const) : undefined };
    setFaults(found);
    if (found.login !== undefined) loginRef.current?.focus();
    else if (found.password !== undefined) passwordRef.current?.focus();
    else signIn.run();
  };

  // [AUTH22] Nobody can sign in yet.
  if (info?.isFirstUser) return <Navigate to="/signup" replace />;
  return (
    <AuthFrame title={t('signIn.title')} server={server}>
      <form className={styles.form} onSubmit={submit} noValidate>
        {registeredLogin !== undefined && !isRefused && (
          <p className={styles.note} role="alert">
            <IconCircleCheck size={18} aria-hidden="true" />
            {t('signIn.registered')}
          </p>
        )}
        {isExpired && !isRefused && (
          <p className={styles.note} role="alert">
            <IconInfoCircle size={18} aria-hidden="true" />
            {t('signIn.expired')}
          </p>
        )}
        {isRefused && <InlineError>{words(signIn.error)}</InlineError>}
        <TextInput
          ref={loginRef}
          label={t('field.login')}
          name="login"
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={login}
          onChange={(event) => {
            setLogin(event.currentTarget.value);
            setFaults((known) => ({ ...known, login: undefined }));
          }}
          error={faultWords(faults.login)}
          required
          withAsterisk={false}
          autoFocus={registeredLogin === undefined}
        />
        <PasswordField
          label={t('field.password')}
          inputRef={passwordRef}
          value={password}
          onChange={(value) => {
            setPassword(value);
            setFaults((known) => ({ ...known, password: undefined }));
          }}
          error={faultWords(faults.password)}
          autoComplete="current-password"
          isFocused={registeredLogin !== undefined}
        />
        <Checkbox
          label={t('signIn.remember')}
          checked={remember}
          onChange={(event) => setRemember(event.currentTarget.checked)}
        />
        <Button type="submit" loading={signIn.isRunning} fullWidth>
          {t('signIn.submit')}
        </Button>
        {info?.signup !== 'closed' && (
          <p className={styles.other}>
            {t('signIn.noAccount')} <Link to="/signup">{t('signIn.toSignUp')}</Link>
          </p>
        )}
      </form>
    </AuthFrame>
  );
}
