import type { Page } from '@playwright/test';
import { logIn, signUpUser } from '@pressel/contract/auth';
import { TOKEN_HEADER } from '@pressel/contract/call';
import { createChannel } from '@pressel/contract/channels';
import { expect, expectHeard, expectReady, press, release, roomPath, test } from '../fixtures.ts';
import { fillSignUp } from '../harness/acts.ts';
import { PASSWORD, type Person } from '../harness/api.ts';
import { sayIn } from '../harness/words.ts';

const CODE = 'open-sesame-42';
const say = sayIn('fr');

test('TLS5, TLS6: in the local network, from a mistyped http:// to two devices that talk', async ({ serve, open }) => {
  const server = await serve({ TLS: 'self', SETUP_CODE: CODE });
  const context = { baseURL: server.origin, ignoreHTTPSErrors: true, locale: 'fr-FR' };
  const plain = server.origin.replace('https:', 'http:');

  const camille = await open(null, `${plain}/signup`, { context });
  await camille.getByRole('link', { name: 'Continuer vers Pressel' }).click();
  await expect(camille).toHaveURL(`${server.origin}/signup`);
  expect(await camille.evaluate(() => window.isSecureContext)).toBe(true);
  const note = camille.getByRole('region', { name: say('auth.certificate.title') });
  await note.getByRole('button', { name: say('auth.certificate.close') }).click();
  await expect(note).toHaveCount(0);
  const email = 'camille@example.org';
  await fillSignUp(camille, say, { firstName: 'Camille', lastName: 'Martin', email, password: PASSWORD });
  await camille.getByLabel(say('auth.field.setupCode')).fill(CODE);
  await camille.getByRole('button', { name: say('auth.signUp.submit') }).click();
  await expect(camille).toHaveURL(/\/dashboard$/u);

  const { noe, rtcSession } = await makeTeam(camille, email);
  const second = await open(noe, roomPath(rtcSession), { context, voice: 'down' });
  await camille.goto(roomPath(rtcSession));
  await expectReady(camille, 2);
  await expectReady(second, 2);
  await press(camille);
  await expectHeard(second, 'up', 400);
  await release(camille);
});

/** A member and a channel for both, by calls of the browser: it accepts the certificate. */
async function makeTeam(page: Page, email: string): Promise<{ noe: Person; rtcSession: string }> {
  const post = async (path: string, data: unknown, token = '') => {
    const reply = await page.request.post(path, { data, headers: { [TOKEN_HEADER]: token } });
    return reply.json();
  };
  const enter = async (login: string) =>
    logIn.reply.parse(await post(logIn.path, { user_email: login, user_password: PASSWORD })).user.authToken;
  const admin = await enter(email);
  const names = { firstName: 'Noé', lastName: 'Petit' };
  const account = { ...names, email: 'noe@example.org', password: PASSWORD };
  const { user } = signUpUser.reply.parse(await post(signUpUser.path, account, admin));
  const noe: Person = {
    ...names,
    id: user.id,
    name: 'Noé Petit',
    email: account.email,
    token: await enter(account.email),
  };
  const { res } = createChannel.reply.parse(
    await post(createChannel.path, { channelName: 'Nord', userList: [user.id] }, admin),
  );
  return { noe, rtcSession: res.rtcSession };
}
