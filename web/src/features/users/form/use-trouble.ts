import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Refusals } from './user-fields.tsx';
import type { UserField } from './user-form.rules.ts';

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
