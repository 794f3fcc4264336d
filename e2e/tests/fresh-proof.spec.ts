import { logIn } from '@pressel/contract/auth';
import { getUserById } from '@pressel/contract/users';
import { expect, test } from '../fixtures.ts';
import { PASSWORD } from '../harness/api.ts';
import { sayIn } from '../harness/words.ts';

/** Refusals that the tests cause on purpose. */
const REFUSED = /status of 4\d\d/u;

for (const language of ['fr', 'en', 'de'] as const) {
  test(`AUTH4: a proof that is over is asked for in place, and nothing typed is lost (${language})`, async ({
    world,
    open,
  }) => {
    const say = sayIn(language);
    const { api, admin, server } = world;
    const hugo = await api.person(`Hugo${language}`, admin.token);
    const chosen = { name: 'language', value: JSON.stringify(language) };
    const storageState = { cookies: [], origins: [{ origin: server.origin, localStorage: [chosen] }] };
    const page = await open(admin, `/usersList?panel=${hugo.id}`, {
      context: { storageState },
      expectedErrors: REFUSED,
    });
    const question = page.getByRole('dialog', { name: say('userForm.verify.title') });
    const password = question.getByLabel(say('userForm.verify.field'), { exact: true });
    const again = question.getByText(say('userForm.verify.textAgain'));
    await password.fill(PASSWORD);
    await question.getByRole('button', { name: say('userForm.verify.submit') }).click();

    const form = page.getByRole('dialog', { name: say('userForm.edit.title') });
    const lastName = form.getByLabel(say('userForm.field.lastName'), { exact: true });
    await lastName.fill('Bernard');
    // The user's other session has no proof, like this one after five minutes.
    const { user } = await api.call(logIn, { user_email: admin.email, user_password: PASSWORD });
    await page.evaluate((token) => sessionStorage.setItem('TOKEN_KEY', token), user.authToken);
    const save = form.getByRole('button', { name: say('userForm.edit.submit'), exact: true });
    await save.click();
    await expect(again).toBeVisible();
    await expect(password).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(again).toHaveCount(0);
    await expect(lastName).toHaveValue('Bernard');
    await expect(form.getByRole('alert')).toContainText(say('shared.errors.verification_required'));

    await save.click();
    await password.fill('wrong');
    await page.keyboard.press('Enter');
    await expect(question.getByText(say('userForm.verify.wrong'))).toBeVisible();
    await password.fill(PASSWORD);
    await question.getByRole('button', { name: say('userForm.verify.submitAgain') }).click();
    await expect(page.getByText(say('userForm.edit.done'))).toBeVisible();
    const { res } = await api.call(getUserById, { userId: hugo.id }, admin.token);
    expect(res.lastName).toBe('Bernard');
  });
}
