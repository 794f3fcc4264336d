import type { BrowserContext } from '@playwright/test';

/** The pages' sockets work, but for the news of the floor: those never come, nor what the answers to beats say of it. */
export async function withholdFloor(context: BrowserContext): Promise<void> {
  await context.routeWebSocket(/socket\.io/u, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const text = String(message);
      if (text.includes('"floor_changed"')) return;
      socket.send(text.replace(/"data":\{"floors":.*$/u, '"data":{"floors":[]}}]'));
    });
  });
}
