import { newPassword } from '@pressel/contract/credentials';
import { expect, test } from 'vitest';
import { passwordStrength } from './field-rules.ts';
import { generatePassword } from './generate-password.ts';

test('[AUTH20] a generated password is four groups of signs that nobody misreads, and the server takes it', () => {
  const made = Array.from({ length: 200 }, () => generatePassword());
  expect(new Set(made).size).toBe(200);
  for (const password of made) {
    expect(password).toMatch(/^[bcdfghjkmnpqrstvwxz2-9]{4}(?:-[bcdfghjkmnpqrstvwxz2-9]{4}){3}$/u);
    expect(newPassword.safeParse(password).success).toBe(true);
    expect(['good', 'strong']).toContain(passwordStrength(password));
  }
});

test('[AUTH20] every sign is equally likely: bytes that would prefer some of them are dropped', () => {
  let turn = 0;
  const fill = (bytes: Uint8Array) => {
    bytes.fill(turn === 0 ? 255 : 0);
    if (turn === 1) bytes.set([243, 242, 26, 27, 28]);
    turn += 1;
  };
  // There are 27 signs: 242, 26, 27 and 28 give the last, the last, the first and the second; 243 and 255 give none.
  expect(generatePassword(fill)).toBe('99bc-bbbb-bbbb-bbbb');
  expect(turn).toBe(2);
});
