import { PasswordInput } from '@mantine/core';
import { PASSWORD_HINT_MAX_LENGTH, PASSWORD_MAX_LENGTH } from '@pressel/contract/limits';
import { type Ref, useEffect, useId, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type PasswordHint, passwordHint, passwordStrength, STRENGTHS, type Strength } from './field-rules.ts';
import styles from './password-field.module.css';

/** Passwords that are common in our languages, and missing from a list that was collected mostly in English. */
const LOCAL = ['motdepasse', 'mot de passe', 'azertyuiop', 'qwertz', 'qwertzuiop', 'passwort1', '0000', '00000000'];

/** Loaded on demand: the list is a chunk of its own. */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { commonPasswords } = await import('virtual:common-passwords');
  return new Set([...commonPasswords.split('\n'), ...LOCAL]);
}

/** The most common passwords, in lower case; undefined until they are wanted and loaded. */
function useCommonPasswords(isWanted: boolean): ReadonlySet<string> | undefined {
  const [known, setKnown] = useState<ReadonlySet<string>>();
  useEffect(() => {
    // If the list can't be loaded, only its hint is missing.
    if (isWanted) loadCommonPasswords().then(setKnown, () => undefined);
  }, [isWanted]);
  return known;
}

export interface PasswordFieldProps {
  label: string;
  /** The input's name, for password managers; `password` by default. */
  name?: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  autoComplete: 'current-password' | 'new-password';
  /** Text under the field while there is no hint. */
  description?: string | undefined;
  /** For a new password: shows a strength meter, and hints at its length and at passwords that are guessed first. */
  withMeter?: boolean;
  /** With the meter: the login and names of the password's owner. */
  personal?: readonly string[];
  /** The field may be left empty. */
  isOptional?: boolean;
  isFirst?: boolean;
  /** Shows the password from the beginning, because nobody typed it. */
  startsShown?: boolean;
  /** On a page, gets the focus when it appears. */
  isFocused?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}

/** A password field with hints, which never block. */
export function PasswordField(props: PasswordFieldProps) {
  const { t } = useTranslation('forms');
  const id = useId();
  const [isShown, setShown] = useState(props.startsShown === true);
  // Shown while typing, not on blur: appearing on blur, it would move the button that is being clicked.
  const common = useCommonPasswords(props.withMeter === true && props.value !== '');
  const hint = props.withMeter ? passwordHint(props.value, { personal: props.personal ?? [], common }) : undefined;
  const [errorId, descriptionId] = [`${id}-error`, `${id}-description`];
  const isGuessedFirst = hint === 'common' || hint === 'personal';
  return (
    <div>
      <PasswordInput
        ref={props.inputRef ?? null}
        label={props.label}
        name={props.name ?? 'password'}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
        error={props.error}
        description={hint === undefined ? props.description : <Hint of={hint} />}
        // Mantine sets these for every field but this one. The id of an absent element describes nothing.
        errorProps={{ id: errorId }}
        descriptionProps={{ id: descriptionId }}
        aria-invalid={props.error !== undefined}
        aria-describedby={`${errorId} ${descriptionId}`}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        visible={isShown}
        onVisibilityChange={setShown}
        visibilityToggleButtonProps={{
          // If there are two password fields, each button says which one it shows.
          'aria-label': t(isShown ? 'hide' : 'show', { field: props.label }),
          // Not false: Mantine's dialogs skip elements that have the attribute at all.
          'aria-hidden': undefined,
          tabIndex: 0,
        }}
        autoComplete={props.autoComplete}
        maxLength={PASSWORD_MAX_LENGTH}
        spellCheck={false}
        required={props.isOptional !== true}
        withAsterisk={false}
        data-autofocus={props.isFirst || undefined}
        autoFocus={props.isFocused === true}
      />
      {props.withMeter && <Meter strength={isGuessedFirst ? 'weak' : passwordStrength(props.value)} />}
    </div>
  );
}

/** Shows the hint, and that the password is accepted all the same; for a long one only that longer is safer. */
function Hint({ of: hint }: { of: PasswordHint }) {
  const { t } = useTranslation('forms');
  if (hint === 'long') return <span>{t('hint.long', { max: PASSWORD_HINT_MAX_LENGTH })}</span>;
  return (
    <>
      <span>{t(`hint.${hint}`)}</span> <span>{t('hint.accepted')}</span>
    </>
  );
}

function Meter({ strength }: { strength: Strength }) {
  const { t } = useTranslation('forms');
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
