import { login } from '@pressel/contract/credentials';
import {
  LOGIN_MAX_LENGTH,
  LOGIN_MIN_LENGTH,
  NAME_MAX_LENGTH,
  PASSWORD_HINT_MAX_LENGTH,
  PASSWORD_HINT_MIN_LENGTH,
  PHONE_MAX_LENGTH,
} from '@pressel/contract/limits';
import { isVisible, plainText, requiredText } from '@pressel/contract/text';
import type { z } from '@pressel/contract/zod';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

export type FieldFault =
  | 'required'
  | 'invalidEmail'
  | 'loginTooShort'
  | 'loginTooLong'
  | 'tooLong'
  | 'unreadable'
  | 'blankPassword';

/** The fault of a login as typed (spec §5); undefined if valid. */
export function loginFault(text: string): FieldFault | undefined {
  const length = text.trim().length;
  if (length === 0) return 'required';
  if (length < LOGIN_MIN_LENGTH) return 'loginTooShort';
  if (length > LOGIN_MAX_LENGTH) return 'loginTooLong';
  return login.safeParse(text).success ? undefined : 'invalidEmail';
}

export const nameFault = (text: string): FieldFault | undefined => faultOf(requiredText(NAME_MAX_LENGTH), text);
export const pseudoFault = (text: string): FieldFault | undefined => faultOf(plainText(NAME_MAX_LENGTH), text);
export const phoneFault = (text: string): FieldFault | undefined => faultOf(plainText(PHONE_MAX_LENGTH), text);

function faultOf(schema: z.ZodType, text: string): FieldFault | undefined {
  const issue = schema.safeParse(text).error?.issues[0];
  if (issue === undefined) return undefined;
  if (issue.message === 'required') return 'required';
  return issue.message === 'unstorable' ? 'unreadable' : 'tooLong';
}

/** The fault of a new password that the server refuses whatever its settings (AUTH12). */
export function passwordFault(password: string): FieldFault | undefined {
  if (password === '') return 'required';
  return isVisible(password) ? undefined : 'blankPassword';
}

export type PasswordHint = 'short' | 'long' | 'common' | 'personal';

/** The texts that a guesser tries first. */
export interface Guesses {
  /** The login and names of the password's owner. */
  personal: readonly string[];
  /** The most common passwords, in lower case; undefined while they are not loaded. */
  common: ReadonlySet<string> | undefined;
}
const PRODUCT = 'Pressel';

/** The hint at a new password's length (spec §5). More important is the hint that guessers try it first (AUTH13). */
export function passwordHint(password: string, { personal, common }: Guesses): PasswordHint | undefined {
  if (password === '') return undefined;
  if (isPersonal(password, personal)) return 'personal';
  if (common?.has(password.trim().toLowerCase())) return 'common';
  if (password.length < PASSWORD_HINT_MIN_LENGTH) return 'short';
  return password.length > PASSWORD_HINT_MAX_LENGTH ? 'long' : undefined;
}

/** Whether a password is the product's name, a login, its part before the @, a name, or two names in a row. */
function isPersonal(password: string, personal: readonly string[]): boolean {
  const names = personal.map(folded).filter((name) => name !== '');
  const logins = personal.filter((text) => text.includes('@')).map((login) => folded(login.split('@')[0] ?? ''));
  const pairs = names.flatMap((first) => names.map((second) => first + second));
  const guess = folded(password);
  return guess !== '' && [folded(PRODUCT), ...names, ...logins, ...pairs].includes(guess);
}

/** Removes case, accents, spaces and punctuation. */
const folded = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

export const STRENGTHS = ['none', 'weak', 'fair', 'good', 'strong'] as const;
export type Strength = (typeof STRENGTHS)[number];

/** A rough estimate of a password's strength from its length and the number of character classes. */
export function passwordStrength(password: string): Strength {
  if (password === '') return 'none';
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(password)).length;
  const different = new Set(password).size;
  const bits = Math.min(password.length, different * 2) * (2 + kinds);
  if (bits < 30) return 'weak';
  if (bits < 50) return 'fair';
  return bits < 70 ? 'good' : 'strong';
}

/** Returns the error text of a field; undefined without a fault. */
export function useFaultWords(): (fault: FieldFault | undefined, max?: number) => string | undefined {
  const { t } = useTranslation('forms');
  return (fault, max = LOGIN_MAX_LENGTH) =>
    fault === undefined ? undefined : t(`fault.${fault}`, { min: LOGIN_MIN_LENGTH, max });
}
