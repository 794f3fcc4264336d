import { expect, test } from '../fixtures.ts';
import { accountButton, fillSignIn, fillSignUp, logOut, pressSignIn, signIn, switchLanguage } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { patternOf, sayIn, sentencesOf } from '../harness/words.ts';

/** Chromium reports every refused call by itself. */
const REFUSED = /the server responded with a status of (?:400|401|403|409|429)/u;

const say = sayIn('de');

test('a wrong password is told, keeps what was typed and leaves the password at hand', async ({ world, open }) => {
  const page = await open(null, '/signin', { language: 'de', expectedErrors: REFUSED });
  await signIn(page, say, world.admin.email, 'wrong');
  await expect(page.getByRole('alert')).toHaveText(say('shared.errors.bad_credentials'));
  await expect(page.getByLabel(say('auth.field.login'))).toHaveValue(world.admin.email);
  await expect(page.getByLabel(say('auth.field.password'), { exact: true })).toBeFocused();
  await expect(page).toHaveURL(/\/signin$/u);
  await signIn(page, say, world.admin.email, PASSWORD);
  await expect(page).toHaveURL(/\/channelsList$/u);
});

test('what is missing or no e-mail is said at its field, and nothing is sent', async ({ open }) => {
  const page = await open(null, '/signin', { language: 'de' });
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') calls.push(request.url());
  });
  const login = page.getByLabel(say('auth.field.login'));
  await pressSignIn(page, say);
  await expect(login).toBeFocused();
  await expect(login).toHaveAccessibleDescription(say('forms.fault.required'));
  await fillSignIn(page, say, 'camille', '');
  await pressSignIn(page, say);
  await expect(login).toHaveAccessibleDescription(say('forms.fault.invalidEmail'));
  await expect(login).toHaveAttribute('aria-invalid', 'true');
  await login.fill('a');
  await pressSignIn(page, say);
  await expect(page.getByText(say('forms.fault.loginTooShort', { min: 2 }))).toBeVisible();
  await login.fill(`${'a'.repeat(50)}@example.org`);
  await pressSignIn(page, say);
  await expect(page.getByText(say('forms.fault.loginTooLong', { max: 50 }))).toBeVisible();

  await page.getByRole('link', { name: say('auth.signIn.toSignUp') }).click();
  await fillSignUp(page, say, { firstName: ' ', lastName: 'X', email: 'no mail', password: '1' });
  await expect(page.getByText(say('forms.hint.short')), 'a hint, not a fault').toBeVisible();
  await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
  await expect(page.getByLabel(say('auth.field.firstName'), { exact: true })).toBeFocused();
  await expect(page.getByText(say('forms.fault.required'))).toHaveCount(1);
  await expect(page.getByText(say('forms.fault.invalidEmail'))).toBeVisible();
  expect(calls).toEqual([]);
});

test('a login that exists is told at its field, in whatever case it is typed', async ({ world, open }) => {
  const page = await open(null, '/signup', { language: 'de', expectedErrors: REFUSED });
  const email = world.admin.email.toUpperCase();
  await fillSignUp(page, say, { firstName: 'Camille', lastName: 'Bis', email, password: 'secret' });
  await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
  const login = page.getByLabel(say('auth.field.login'));
  await expect(login).toHaveAccessibleDescription(say('shared.errors.duplicate_login'));
  await expect(login).toBeFocused();
  await expect(page.getByLabel(say('auth.field.lastName'), { exact: true })).toHaveValue('Bis');
  await login.fill(`${world.own('bis').replace(' ', '.')}@example.org`);
  await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
  await expect(accountButton(page, say, 'Camille Bis')).toBeVisible();
});

test('after too many attempts it says how long to wait', async ({ world, open }) => {
  const target = await world.api.person('Cible', world.admin.token);
  const page = await open(null, '/signin', { language: 'de', expectedErrors: REFUSED });
  const body = JSON.stringify({ user_email: target.email, user_password: 'wrong' });
  const headers = { 'content-type': 'application/json' };
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await fetch(`${world.server.origin}/user/api/login`, { method: 'POST', body, headers });
  }
  await signIn(page, say, target.email, PASSWORD);
  const sentence = sentencesOf('de').get('shared.errors.too_many_wait_other') ?? '';
  await expect(page.getByRole('alert')).toHaveText(patternOf(sentence));
  await expect(page.getByLabel(say('auth.field.login'))).toHaveValue(target.email);
});

test('while the server is away nothing typed is lost, and it is said plainly', async ({ world, open }) => {
  const [french, english] = [sayIn('fr'), sayIn('en')];
  const who = {
    firstName: 'Inès',
    lastName: 'Petit',
    email: `${world.own('ines').replace(' ', '.')}@example.org`,
    password: 'pass',
  };
  const phone = '+33 6 00 00 00 00';
  const page = await open(null, '/signup');
  await fillSignUp(page, french, who);
  await page.getByLabel(french('auth.field.phone')).fill(phone);
  await world.server.stop();
  const submit = page.getByRole('button', { name: french('auth.signUp.submit') });
  await submit.click();
  await expect(page.getByRole('alert')).toHaveText(french('shared.errors.unreachable'));
  await expect(page.getByLabel(french('auth.field.firstName'), { exact: true })).toHaveValue(who.firstName);
  await expect(page.getByLabel(french('auth.field.password'), { exact: true })).toHaveValue(who.password);
  await expect(page.getByLabel(french('auth.field.phone'))).toHaveValue(phone);
  await world.server.start();
  await submit.click();
  await logOut(page, french, 'Inès Petit');

  await switchLanguage(page, 'en');
  await fillSignIn(page, english, who.email, who.password);
  await world.server.stop();
  await pressSignIn(page, english);
  await expect(page.getByRole('alert')).toHaveText(english('shared.errors.unreachable'));
  await expect(page.getByLabel(english('auth.field.login'))).toHaveValue(who.email);
  await expect(page.getByLabel(english('auth.field.password'), { exact: true })).toHaveValue(who.password);
  await world.server.start();
  await pressSignIn(page, english);
  await expect(page).toHaveURL(/\/channelsList$/u);
});
