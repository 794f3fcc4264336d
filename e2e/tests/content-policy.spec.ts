import { expect, test } from '../fixtures.ts';
import { accountButton } from '../harness/acts.ts';
import { sayIn } from '../harness/words.ts';

/** Tests of the content security policy. screens.spec.ts checks that no screen breaks it, with everything else about screens. */

test('choosing another appearance does nothing that the content security policy forbids', async ({ world, open }) => {
  const say = sayIn('fr');
  const page = await open(world.admin, '/dashboard', {
    isUnderPolicy: true,
    context: { viewport: { width: 1600, height: 900 } },
  });
  await accountButton(page, say, world.admin.name).click();
  await page.getByRole('menuitemradio', { name: say('shared.scheme.dark') }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
});

test('a page that breaks the content security policy fails its test', async ({ world, browser }) => {
  const context = await browser.newContext({ baseURL: world.server.origin });
  const page = await context.newPage();
  await page.goto('/signin');
  const said = page.waitForEvent('console', (message) => message.type() === 'error');
  await page.evaluate(() => {
    const picture = new Image();
    picture.src = 'https://example.invalid/x.png';
  });
  expect((await said).text()).toContain('Content Security Policy');
  await context.close();
});

test('the browser refuses to make code from text', async ({ world, open }) => {
  const page = await open(world.admin, '/dashboard', {
    isUnderPolicy: true,
    expectedErrors: /Trusted/u,
  });
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  const outcomes = await page.evaluate(() => {
    const script = () => document.createElement('script');
    const attempts: Record<string, () => unknown> = {
      markup: () => Object.assign(document.createElement('div'), { innerHTML: '<img src=x onerror=alert(1)>' }),
      document: () => Object.assign(document.createElement('iframe'), { srcdoc: '<script>alert(1)</script>' }),
      'text of a script': () => Object.assign(script(), { text: 'alert(1)' }),
      'a file that is no script': () => Object.assign(script(), { src: '/files/photos/x' }),
      'a worker from text': () => new Worker(URL.createObjectURL(new Blob(['1'], { type: 'text/javascript' }))),
      'another policy': () => Object(window).trustedTypes.createPolicy('other', { createHTML: String }),
      'the policy again': () => Object(window).trustedTypes.createPolicy('default', { createHTML: String }),
    };
    return Object.entries(attempts).map(([what, attempt]) => {
      try {
        attempt();
        return `${what}: done`;
      } catch {
        return `${what}: refused`;
      }
    });
  });
  expect(outcomes).toHaveLength(7);
  for (const outcome of outcomes) expect(outcome).toMatch(/: refused$/u);
});
