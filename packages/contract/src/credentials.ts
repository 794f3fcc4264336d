import { LOGIN_MAX_LENGTH, LOGIN_MIN_LENGTH, PASSWORD_MAX_LENGTH } from './limits.ts';
import { isVisible } from './text.ts';
import { z } from './zod.ts';

export const role = z
  .enum(['admin', 'member'])
  .meta({ description: 'Two roles, enforced on the server for every call, event and file.' });
export type Role = z.infer<typeof role>;

// Specification §5.
export const login = z.string().trim().min(LOGIN_MIN_LENGTH).max(LOGIN_MAX_LENGTH).pipe(z.email()).meta({
  description: 'A login: an e-mail address of 2 to 50 characters. Kept as typed; compared without regard to case.',
});

export const password = z
  .string()
  .min(1, { abort: true })
  .max(PASSWORD_MAX_LENGTH)
  .meta({ description: 'A password as typed: never trimmed, never normalised. An empty one is malformed.' });
// Rule AUTH12.
export const newPassword = password.refine(isVisible, { message: 'blank' }).meta({
  description:
    'A password to be set. One without a visible character is refused: nobody can read it back to its owner.',
});
