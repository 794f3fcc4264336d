import { act, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { renderApp } from '#test/render-app.tsx';

const alerts = vi.hoisted(() => ({ loads: 0, isBroken: true }));

vi.mock('#src/shared/when-idle.ts', () => ({
  whenIdle: (act: () => void) => {
    act();
    return () => undefined;
  },
}));
vi.mock('./message-alerts.tsx', () => {
  alerts.loads += 1;
  return {
    MessageAlerts() {
      if (alerts.isBroken) throw new Error('broken');
      return <p>Alerts</p>;
    },
  };
});

test('[CHATS60] what tells of messages is loaded once there is a link, and tried again with the next link', async () => {
  // biome-ignore lint/suspicious/noConsole: React reports what a boundary catches
  const reported = vi.mocked(console.error).mockReturnValue();
  const realtime = createRealtimeDouble();
  realtime.setLink('down');
  await renderApp({ at: '/profile', signedIn: {}, services: { openRealtime: () => realtime } });
  await screen.findByRole('heading', { level: 1 });
  expect(alerts.loads).toBe(0);

  realtime.setLink('up');
  await waitFor(() => expect(reported).toHaveBeenCalled());
  reported.mockClear();
  alerts.isBroken = false;
  act(() => realtime.setLink('down'));
  act(() => realtime.setLink('up'));
  expect(await screen.findByText('Alerts')).toBeVisible();
});
