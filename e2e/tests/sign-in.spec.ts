import { expect, test } from '../fixtures.ts';
import { fillSignIn, fillSignUp, pressSignIn, signIn, switchLanguage } from '../harness/acts.ts';
import { PASSWORD } from '../harness/api.ts';
import { startPressel } from '../harness/server-process.ts';
import { patternOf, sayIn, sentencesOf } from '../harness/words.ts';

/** Chromium reports every refused call by itself. */
const REFUSED = /the server responded with a status of (?:400|401|403|409|429)/u;

for (const language of ['fr', 'de'] as const) {
  const say = sayIn(language);

  test(`a wrong password is told, keeps what was typed and leaves the password at hand (${language})`, async ({
    world,
    open,
  }) => {
    const page = await open(null, '/signin', { expectedErrors: REFUSED });
    await switchLanguage(page, language);
    await signIn(page, say, world.admin.email, 'wrong');
    await expect(page.getByRole('alert')).toHaveText(say('shared.errors.bad_credentials'));
    await expect(page.getByLabel(say('auth.field.login'))).toHaveValue(world.admin.email);
    await expect(page.getByLabel(say('auth.field.password'), { exact: true })).toBeFocused();
    await expect(page).toHaveURL(/\/signin$/u);
    await signIn(page, say, world.admin.email, PASSWORD);
    await expect(page).toHaveURL(/\/channelsList$/u);
  });

  test(`what is missing or no e-mail is said at its field, and nothing is sent (${language})`, async ({ open }) => {
    const page = await open(null, '/signin');
    await switchLanguage(page, language);
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
    await fillSignUp(page, say, { firstName: ' ', lastName: 'X', email: 'no mail', password: 'x' });
    await expect(page.getByText(say('forms.hint.short')), 'a hint, not a fault').toBeVisible();
    await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
    await expect(page.getByLabel(say('auth.field.firstName'), { exact: true })).toBeFocused();
    await expect(page.getByText(say('forms.fault.required'))).toHaveCount(1);
    await expect(page.getByText(say('forms.fault.invalidEmail'))).toBeVisible();
    expect(calls).toEqual([]);
  });

  test(`a login that exists is told at its field, in whatever case it is typed (${language})`, async ({
    world,
    open,
  }) => {
    const page = await open(null, '/signup', { expectedErrors: REFUSED });
    await switchLanguage(page, language);
    const email = world.admin.email.toUpperCase();
    await fillSignUp(page, say, { firstName: 'Camille', lastName: 'Bis', email, password: 'secret' });
    await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
    const login = page.getByLabel(say('auth.field.login'));
    await expect(login).toHaveAccessibleDescription(say('shared.errors.duplicate_login'));
    await expect(login).toBeFocused();
    await expect(page.getByLabel(say('auth.field.lastName'), { exact: true })).toHaveValue('Bis');
    await login.fill(`bis.${language}@example.org`);
    await page.getByRole('button', { name: say('auth.signUp.submit') }).click();
    await expect(page.getByText(say('auth.signIn.registered'))).toBeVisible();
  });

  test(`after too many attempts it says how long to wait (${language})`, async ({ world, open }) => {
    const target = await world.api.person(`Cible${language}`, world.admin.token);
    const page = await open(null, '/signin', { expectedErrors: REFUSED });
    await switchLanguage(page, language);
    const body = JSON.stringify({ user_email: target.email, user_password: 'wrong' });
    const headers = { 'content-type': 'application/json' };
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await fetch(`${world.server.origin}/user/api/login`, { method: 'POST', body, headers });
    }
    await signIn(page, say, target.email, PASSWORD);
    const sentence = sentencesOf(language).get('shared.errors.too_many_wait_other') ?? '';
    await expect(page.getByRole('alert')).toHaveText(patternOf(sentence));
    await expect(page.getByLabel(say('auth.field.login'))).toHaveValue(target.email);
  });
}

test('while the server is away nothing typed is lost, and it is said plainly', async ({ world, open }) => {
  const [french, english] = [sayIn('fr'), sayIn('en')];
  const who = { firstName: 'Inès', lastName: 'Petit', email: 'ines.petit@example.org', password: 'pass' };
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
  await expect(page.getByText(french('auth.signIn.registered'))).toBeVisible();

  await switchLanguage(page, 'en');
  await page.getByLabel(english('auth.field.password'), { exact: true }).fill(who.password);
  await world.server.stop();
  await pressSignIn(page, english);
  await expect(page.getByRole('alert')).toHaveText(english('shared.errors.unreachable'));
  await expect(page.getByLabel(english('auth.field.login'))).toHaveValue(who.email);
  await expect(page.getByLabel(english('auth.field.password'), { exact: true })).toHaveValue(who.password);
  await world.server.start();
  await pressSignIn(page, english);
  await expect(page).toHaveURL(/\/channelsList$/u);
});

test('with SIGNUP=closed no link leads to registration, and its page says so', async ({ open }) => {
  const server = await startPressel({ SIGNUP: 'closed' });
  try {
    for (const language of ['fr', 'en'] as const) {
      const say = sayIn(language);
      const page = await open(null, '/signin', { context: { baseURL: server.origin } });
      await switchLanguage(page, language);
      await expect(page.getByText(patternOf(sentencesOf(language).get('auth.version') ?? ''))).toBeVisible();
      await expect(page.getByRole('link', { name: say('auth.signIn.toSignUp') })).toHaveCount(0);
      await expect(page.getByText(say('auth.signIn.noAccount'))).toHaveCount(0);
      await page.goto('/signup');
      await expect(page.getByRole('heading', { name: say('auth.signUp.closed') })).toBeVisible();
      await expect(page.getByText(say('auth.signUp.closedText'))).toBeVisible();
      await expect(page.getByRole('textbox')).toHaveCount(0);
      await page.getByRole('link', { name: say('auth.signUp.toSignIn') }).click();
      await expect(page).toHaveURL(/\/signin$/u);
    }
  } finally {
    await server.dispose();
  }
});
