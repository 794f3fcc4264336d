import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { role } from '@pressel/contract/credentials';
import { NAME_MAX_LENGTH, PHONE_MAX_LENGTH } from '@pressel/contract/limits';
import { IconDice5 } from '@tabler/icons-react';
import { type HTMLInputAutoCompleteAttribute, type RefObject, useRef, useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useFaultWords } from '#src/shared/forms/field-rules.ts';
import { generatePassword } from '#src/shared/forms/generate-password.ts';
import { PasswordField } from '#src/shared/forms/password-field.tsx';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './user-form.module.css';
import { isMismatch, USER_FIELDS, type UserFaults, type UserField, type UserValues } from './user-form.rules.ts';

/** The server's refusals of single fields, in words. */
type Refusals = Partial<Record<UserField, string>>;

export interface FieldsProps {
  form: UserForm;
  refusals?: Refusals;
}

export interface TextFieldProps extends FieldsProps {
  field: 'firstName' | 'lastName' | 'login' | 'pseudo' | 'phone';
  autoComplete: HTMLInputAutoCompleteAttribute;
  isRequired?: boolean;
  isFirst?: boolean;
  isReadOnly?: boolean;
  description?: string | undefined;
}

/** One line of text. */
export function TextField({ form, field, refusals, ...props }: TextFieldProps) {
  const { t } = useTranslation('userForm');
  const error = useFieldError(form, refusals)(field);
  const isLogin = field === 'login';
  return (
    <TextInput
      label={t(`field.${field}`)}
      name={field}
      // Names may have any writing direction; addresses and numbers are written from left to right everywhere.
      dir={isLogin || field === 'phone' ? 'ltr' : 'auto'}
      type={isLogin ? 'email' : field === 'phone' ? 'tel' : 'text'}
      autoComplete={props.autoComplete}
      {...(isLogin ? { autoCapitalize: 'none', spellCheck: false } : {})}
      value={form.values[field]}
      onChange={(event) => form.set(field, event.currentTarget.value)}
      error={error}
      description={props.description}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      required={props.isRequired ?? false}
      readOnly={props.isReadOnly ?? false}
      withAsterisk={false}
      data-autofocus={props.isFirst || undefined}
    />
  );
}

export interface PasswordPairProps extends FieldsProps {
  /** The label of the first field. */
  label: string;
  /** The login and names of the password's owner; by default those in the form. */
  personal?: readonly string[];
  /** An empty password keeps the old one. */
  isOptional?: boolean;
  /** Places one above the other, where there is no room for both. */
  isStacked?: boolean;
  /** Offers to generate a password for somebody else, to whom it is handed over [AUTH20]. */
  canGenerate?: boolean;
}

/** A password and its repetition. A difference is shown while the user types. */
export function PasswordPair(props: PasswordPairProps) {
  const { form, refusals, label, isOptional = false, isStacked = false } = props;
  const { login, firstName, lastName, pseudo } = form.values;
  const { t } = useTranslation('userForm');
  const errorOf = useFieldError(form, refusals);
  /** Counts the generated passwords: each is shown in fields of its own. */
  const [generated, setGenerated] = useState(0);
  const generate = () => {
    const made = generatePassword();
    form.set('password', made);
    form.set('repetition', made);
    setGenerated((known) => known + 1);
  };
  return (
    <div className={styles.passwords} data-stacked={isStacked || undefined}>
      <PasswordField
        key={`password ${generated}`}
        startsShown={generated > 0}
        label={label}
        value={form.values.password}
        onChange={(value) => form.set('password', value)}
        error={errorOf('password')}
        description={isOptional ? t('keepPassword') : undefined}
        autoComplete="new-password"
        isOptional={isOptional}
        withMeter
        personal={props.personal ?? [login, firstName, lastName, pseudo]}
      />
      <PasswordField
        key={`repetition ${generated}`}
        startsShown={generated > 0}
        label={t('field.repetition')}
        name="repetition"
        value={form.values.repetition}
        onChange={(value) => form.set('repetition', value)}
        error={isMismatch(form.values) ? t('fault.mismatch') : errorOf('repetition')}
        autoComplete="new-password"
        isOptional={isOptional}
      />
      {props.canGenerate && (
        <Button
          className={styles.generate ?? ''}
          variant="subtle"
          size="compact-sm"
          leftSection={<IconDice5 size={16} aria-hidden="true" />}
          onClick={generate}
        >
          {t('generate')}
        </Button>
      )}
    </div>
  );
}

/** Whether the user may see the map. */
export function MapSwitch({ form }: FieldsProps) {
  const { t } = useTranslation('userForm');
  return (
    <Switch
      classNames={{
        root: styles.map,
        body: styles.mapBody,
        label: styles.mapLabel,
        track: styles.track,
        trackLabel: styles.trackLabel,
      }}
      name="mapRight"
      label={t('field.mapRight')}
      labelPosition="left"
      size="lg"
      onLabel={t('yes')}
      offLabel={t('no')}
      checked={form.values.mapRight}
      onChange={(event) => form.set('mapRight', event.currentTarget.checked)}
    />
  );
}

/** Administrator or member, and what the role means. */
export function RoleField({ form, refusals, isOwn }: FieldsProps & { isOwn: boolean }) {
  const { t } = useTranslation('userForm');
  const error = useFieldError(form, refusals)('role');
  const chosen = form.values.role;
  return (
    <NativeSelect
      name="role"
      label={t('field.role')}
      data={role.options.map((value) => ({ value, label: t(`role.${value}`) }))}
      value={chosen}
      onChange={(event) => form.set('role', role.parse(event.currentTarget.value))}
      error={error}
      description={isOwn && chosen === 'member' ? t('role.ownWarning') : t(`role.${chosen}Text`)}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
    />
  );
}

/** Returns the sentence under a field: its fault here, else the server's refusal. */
function useFieldError(form: UserForm, refusals: Refusals | undefined) {
  const { t } = useTranslation('userForm');
  const words = useFaultWords();
  return (field: UserField): string | undefined => {
    const fault = form.faults[field];
    if (fault === undefined) return refusals?.[field];
    if (fault === 'mismatch') return t('fault.mismatch');
    return words(fault, field === 'login' ? undefined : field === 'phone' ? PHONE_MAX_LENGTH : NAME_MAX_LENGTH);
  };
}

/** Refusals about one field are shown at that field. */
const FIELD_OF: Partial<Record<string, UserField>> = {
  duplicate_login: 'login',
  password_too_short: 'password',
  last_admin: 'role',
};

/** Returns the field that a refusal is about. */
export const fieldOf = (error: unknown): UserField | undefined => FIELD_OF[errorCodeOf(error)];

/** True when nobody knows whether the server did what it was asked to do. */
export const isUncertain = (error: unknown): boolean =>
  ['unreachable', 'timeout', 'bad_reply'].includes(errorCodeOf(error));

/** Returns the words for a refusal by the server: at a field, or over the whole. */
export function useTrouble(error: unknown): { refusals: Refusals; text: string | undefined } {
  const { t } = useTranslation('userForm');
  const words = useErrorWords();
  if (error === null || error === undefined) return { refusals: {}, text: undefined };
  const field = fieldOf(error);
  if (field !== undefined) return { refusals: { [field]: words(error) }, text: t('fault.marked') };
  return { refusals: {}, text: isUncertain(error) ? `${words(error)} ${t('uncertain')}` : words(error) };
}

/** The fields of a form with their faults. */
export interface UserForm {
  ref: RefObject<HTMLFormElement | null>;
  values: UserValues;
  faults: UserFaults;
  /** Sets a field's value and forgets its fault. */
  set: <F extends UserField>(field: F, value: UserValues[F]) => void;
  replace: (values: UserValues) => void;
  /** Marks the faults and focuses the first one. @returns whether there are none */
  accept: (faults: UserFaults) => boolean;
  focus: (field: UserField) => void;
}

export function useUserForm(start: UserValues): UserForm {
  const ref = useRef<HTMLFormElement>(null);
  const [values, replace] = useState(start);
  const [faults, setFaults] = useState<UserFaults>({});
  const focus = (field: UserField) => ref.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
  return {
    ref,
    values,
    faults,
    replace,
    focus,
    set: (field, value) => {
      replace((known) => ({ ...known, [field]: value }));
      setFaults((known) => without(field === 'password' ? [field, 'repetition'] : [field], known));
    },
    accept: (found) => {
      setFaults(found);
      const first = USER_FIELDS.find((field) => found[field] !== undefined);
      if (first !== undefined) focus(first);
      return first === undefined;
    },
  };
}

/** Each change of the password also checks the repetition anew. */
const without = (fields: readonly UserField[], faults: UserFaults): UserFaults =>
  Object.fromEntries(Object.entries(faults).filter(([field]) => !fields.some((one) => one === field)));
