import { Button } from '@mantine/core';
import { IconInfoCircle, IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import styles from './auth.module.css';
import { AuthFrame } from './auth-frame.tsx';
import { useServerInfo } from './auth-server.ts';
import { SignUpForm, type SignUpFormProps } from './sign-up-form.tsx';

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
