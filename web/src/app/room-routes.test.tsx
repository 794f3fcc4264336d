import { expect, onTestFinished, test } from 'vitest';
import { renderApp } from '#test/render-app.tsx';
import { stubLayout } from '#test/stub-layout.ts';

/** The room's code is loaded first. */
const ROUTE_PATIENCE = { timeout: 10_000 };

/** A browser that can keep its screen on: what it was asked, and how many locks are held. */
function stubWakeLock() {
  const screen = { asked: [] as unknown[], held: 0 };
  Object.defineProperty(navigator, 'wakeLock', {
    configurable: true,
    value: {
      request: async (kind: unknown) => {
        screen.asked.push(kind);
        screen.held += 1;
        return {
          release: async () => {
            screen.held -= 1;
          },
        };
      },
    },
  });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'wakeLock'));
  return screen;
}

test.each(['/mobileCallView/Nord', '/join/Nord'])('[ROOM11] %s keeps the screen on while it is shown', async (at) => {
  const screen = stubWakeLock();
  const app = await renderApp({ at, signedIn: { role: 'member' } });
  await expect.poll(() => screen, ROUTE_PATIENCE).toEqual({ asked: ['screen'], held: 1 });
  app.unmount();
  await expect.poll(() => screen.held).toBe(0);
});

test('[ROOM11] the room within the console leaves the screen to the device', async () => {
  const screen = stubWakeLock();
  const app = await renderApp({ at: '/groupCallView/Nord', signedIn: { role: 'member' } });
  expect(await app.findByRole('main', { name: /Nord/u }, ROUTE_PATIENCE)).toBeInTheDocument();
  expect(screen.asked).toEqual([]);
});

test.each(['/groupCallView/Nord', '/mobileCallView/Nord'])(
  '[ROOM6] %s has in its address which panel is shown, and how the members are filtered and sorted',
  async (at) => {
    stubLayout();
    const app = await renderApp({ at: `${at}?panel=members&q=zo%C3%A9&desc=true`, signedIn: { role: 'member' } });
    const filter = await app.findByRole('textbox', { name: 'Filtrer les membres' }, ROUTE_PATIENCE);
    expect(filter).toHaveValue('zoé');
    await app.user.type(filter, 'x');
    await app.user.click(app.getByRole('button', { name: 'Nom, de Z à A' }));
    await expect.poll(() => app.router.state.location.search).toEqual({ panel: 'members', q: 'zoéx' });
    await app.user.clear(filter);
    await expect.poll(() => app.router.state.location.search).toEqual({ panel: 'members' });
  },
);
