import type { BrowserContext } from '@playwright/test';

/** Keeps the news of the floor from the pages, and the floor in the answers to beats. Otherwise their sockets work. */
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
