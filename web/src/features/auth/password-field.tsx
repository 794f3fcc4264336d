import { PasswordInput } from '@mantine/core';
import { PASSWORD_MAX_LENGTH } from '@pressel/contract/limits';
import { type ReactNode, type Ref, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './auth.module.css';
import { passwordHint, passwordStrength, STRENGTHS } from './auth-rules.ts';

export interface PasswordFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  autoComplete: 'current-password' | 'new-password';
  /** Shows how strong the password is. */
  withMeter?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}

/** A password with its hints, which advise and never stop. */
export function PasswordField(props: PasswordFieldProps) {
  const { t } = useTranslation('auth');
  const [isShown, setShown] = useState(false);
  // Shown while typing: if it came on leaving the field, what is clicked next would move away from under the pointer.
  const hint = passwordHint(props.value);
  const help: ReactNode = hint && t(`hint.${hint}`);
  return (
    <div>
      <PasswordInput
        ref={props.inputRef ?? null}
        label={t('field.password')}
        name="password"
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
        error={props.error}
        description={help}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        visible={isShown}
        onVisibilityChange={setShown}
        visibilityToggleButtonProps={{
          'aria-label': isShown ? t('field.hide') : t('field.show'),
          'aria-hidden': false,
          tabIndex: 0,
        }}
        autoComplete={props.autoComplete}
        maxLength={PASSWORD_MAX_LENGTH}
        spellCheck={false}
        required
        withAsterisk={false}
      />
      {props.withMeter && <Meter password={props.value} />}
    </div>
  );
}

function Meter({ password }: { password: string }) {
  const { t } = useTranslation('auth');
  const strength = passwordStrength(password);
  const level = STRENGTHS.indexOf(strength);
  return (
    <div className={styles.meter}>
      <span className={styles.bars} aria-hidden="true">
        {STRENGTHS.slice(1).map((step, index) => (
          <span key={step} data-on={index < level || undefined} />
        ))}
      </span>
      <span>{t('strength.label', { level: t(`strength.${strength}`) })}</span>
    </div>
  );
}
