import { expect, test } from '../fixtures.ts';
import { fillSignUp } from '../harness/acts.ts';
import { sayIn } from '../harness/words.ts';

/** Refusals that the tests cause on purpose. */
const REFUSED = /status of 403/u;
const CODE = 'open-sesame-42';

test('AUTH10: the first account takes the setup code, the second does not', async ({ open, serve }) => {
  const say = sayIn('fr');
  const server = await serve({ SETUP_CODE: CODE });
  const page = await open(null, '/signup', { context: { baseURL: server.origin }, expectedErrors: REFUSED });
  const code = page.getByLabel(say('auth.field.setupCode'));
  const submit = page.getByRole('button', { name: say('auth.signUp.submit') });
  await expect(page.getByText(say('auth.signUp.first'))).toBeVisible();
  const camille = { firstName: 'Camille', lastName: 'Martin', email: 'camille@example.org', password: 'pressel' };
  await fillSignUp(page, say, camille);
  await submit.click();
  await expect(code, 'asked for before anything is sent').toBeFocused();
  await expect(code).toHaveAccessibleDescription(new RegExp(say('forms.fault.required'), 'u'));
  await code.fill('a guess');
  await submit.click();
  await expect(page.getByText(say('shared.errors.wrong_setup_code'))).toBeVisible();
  await expect(code).toBeFocused();
  await expect(page.getByLabel(say('auth.field.password'), { exact: true })).toHaveValue(camille.password);
  await code.fill(CODE.toUpperCase());
  await submit.click();
  await expect(page).toHaveURL(/\/dashboard$/u);
  // The server knows the device by a cookie that no script reads.
  const [device] = await page.context().cookies(`${server.origin}/user/api/login`);
  expect(device).toMatchObject({ name: 'pressel_device', httpOnly: true, sameSite: 'Strict' });

  const next = await open(null, '/signup', { context: { baseURL: server.origin } });
  await fillSignUp(next, say, { ...camille, email: 'noe@example.org' });
  await expect(next.getByLabel(say('auth.field.setupCode'))).toHaveCount(0);
  await next.getByRole('button', { name: say('auth.signUp.submit') }).click();
  await expect(next).toHaveURL(/\/channelsList$/u);
});
