import { logIn, signUpUser, verifyPassword } from '@pressel/contract/auth';
import { updatePasswordUser, updateUserData } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { buildTestApp, CHEAP_PASSWORDS, PASSWORD } from '#test/build-test-app.ts';
import { prove } from '#test/proof.ts';

const names = { firstName: 'Ana', lastName: 'Ruiz' };

test.each([
  ['spaces', '   '],
  ['spaces that do not break', '\u00a0\u202f'],
  ['what shows nothing', '\u200b\u2060'],
  ['a tab and a new line', '\t\n'],
])('AUTH12: a password of %s alone is refused wherever one is set', async (_what, password) => {
  const t = await buildTestApp();
  const ana = await t.signUp('Ana');
  await prove(t, [ana]);
  const replies = [
    await t.post(signUpUser.path, { ...names, email: 'b@example.org', password }),
    await t.post(updatePasswordUser.path, { id: ana.id, password }, ana.token),
    await t.post(updateUserData.path, { id: ana.id, ...names, password }, ana.token),
  ];
  for (const { status, body } of replies) {
    expect([status, body.code]).toEqual([400, 'malformed']);
    expect(JSON.stringify(body.params)).toContain('password');
  }
  expect(replies[0]?.body.params).toMatchObject({ issues: [{ path: 'password', code: 'blank' }] });
  expect(await t.signIn(ana)).toBeTypeOf('string');
  await t.close();
});

test('AUTH12: a blank password of former times still opens, and an empty one keeps the old', async () => {
  const t = await buildTestApp();
  const ana = await t.signUp('Ana');
  const kept = await t.call(updateUserData, { id: ana.id, ...names, password: '' }, ana.token);
  expect([kept.status, await t.signIn(ana)]).toEqual([200, expect.any(String)]);
  const hash = await (await CHEAP_PASSWORDS).hash('  ');
  await t.database.db.execute(sql`update users set password_hash = ${hash}`);
  expect((await t.call(logIn, { user_email: ana.email, user_password: '  ' })).status).toBe(200);
  expect((await t.call(verifyPassword, { password: '  ' }, ana.token)).body.result).toBe(true);
  expect((await t.call(verifyPassword, { password: PASSWORD }, ana.token)).body.result).toBe(false);
  await t.close();
});
