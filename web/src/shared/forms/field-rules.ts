import {
  LOGIN_MAX_LENGTH,
  LOGIN_MIN_LENGTH,
  NAME_MAX_LENGTH,
  PASSWORD_HINT_MAX_LENGTH,
  PASSWORD_HINT_MIN_LENGTH,
  PHONE_MAX_LENGTH,
} from '@pressel/contract/limits';
import { plainText, requiredText } from '@pressel/contract/text';
import { login } from '@pressel/contract/users';
import type * as z from 'zod';

export type FieldFault = 'required' | 'invalidEmail' | 'loginTooShort' | 'loginTooLong' | 'tooLong' | 'unreadable';

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

/** The hint of spec §5 on a password's length. Never blocks. */
export function passwordHint(password: string): 'short' | 'long' | undefined {
  if (password === '') return undefined;
  if (password.length < PASSWORD_HINT_MIN_LENGTH) return 'short';
  return password.length > PASSWORD_HINT_MAX_LENGTH ? 'long' : undefined;
}

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
