import type { Page } from '@playwright/test';
import { sendMessage } from '@pressel/contract/chat';
import { expect, roomPath, test, type World } from '../fixtures.ts';
import { messagesPanel } from '../harness/chat.ts';

const at = (width: number, height: number) => ({ context: { viewport: { width, height } } });
const messageList = (page: Page) => messagesPanel(page).locator('[data-message-list]');

/** A room's messages, each longer than a line of a phone: the rows are higher than they were estimated. */
async function conversation({ api, admin }: World, count: number): Promise<string> {
  const people = [await api.person('Lin', admin.token), await api.person('Mo', admin.token)];
  const { id, rtcSession } = await api.channel(admin, 'Poche', people);
  const writers = [admin, ...people];
  for (let n = 1; n <= count; n += 1) {
    const message = `Ronde ${n} ${'porte après porte, sans rien voir de neuf '.repeat(4)}`;
    await api.call(sendMessage, { channelId: id, message }, writers[n % writers.length]?.token);
  }
  return `${roomPath(rtcSession)}?panel=messages`;
}

test('[CHATS7] on a phone the list opens at its end, and stays there when the keyboard takes half of the screen', async ({
  world,
  open,
}) => {
  const phone = await open(world.admin, await conversation(world, 40), at(390, 844));
  const list = messageList(phone);
  const belowPx = () =>
    list.evaluate(({ scrollHeight, scrollTop, clientHeight }) => Math.round(scrollHeight - scrollTop - clientHeight));
  await expect(list.getByText(/Ronde 40/u)).toBeInViewport({ ratio: 1 });
  await expect.poll(belowPx).toBeLessThan(2);
  await phone.setViewportSize({ width: 390, height: 600 });
  await expect(list.getByText(/Ronde 40/u)).toBeInViewport({ ratio: 1 });
  await expect.poll(belowPx).toBeLessThan(2);

  await list.hover();
  await phone.mouse.wheel(0, -400);
  await expect.poll(belowPx).toBeGreaterThan(200);
  const [top, height] = await list.evaluate(({ scrollTop, clientHeight }) => [scrollTop, clientHeight] as const);
  await phone.setViewportSize({ width: 390, height: 560 });
  await expect.poll(() => list.evaluate(({ clientHeight }) => clientHeight)).not.toBe(height);
  const now = await list.evaluate(({ scrollTop }) => scrollTop);
  expect(Math.abs(now - top), 'who reads above is left there').toBeLessThan(2);
});
