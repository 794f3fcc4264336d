import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { RoomPanel } from './room-frame.tsx';

const show = (content: React.ReactNode) => {
  // React says what was thrown.
  const said = vi.spyOn(console, 'error').mockReturnValue();
  render(
    <WithVoiceWords>
      <p>le bouton</p>
      <RoomPanel>{content}</RoomPanel>
    </WithVoiceWords>,
  );
  return said;
};
function Breaking({ fate }: { fate: { isBroken: boolean } }) {
  if (fate.isBroken) throw new Error('broken');
  return <p>les messages</p>;
}
const retry = () => screen.findByRole('button', { name: 'Réessayer' });

test('[ROOM7] a panel that throws says so in its place, and is tried again; what is around it stays', async () => {
  const fate = { isBroken: true };
  const said = show(<Breaking fate={fate} />);
  expect(await screen.findByRole('alert')).toBeVisible();
  expect(screen.getByText('le bouton')).toBeVisible();
  fate.isBroken = false;
  await userEvent.click(await retry());
  expect(screen.getByText('les messages')).toBeVisible();
  said.mockClear();
});

test('[ROOM7] a panel whose code could not be loaded is loaded anew', async () => {
  let attempts = 0;
  const Panel = lazyComponent(async () => {
    attempts += 1;
    if (attempts < 3) throw new TypeError('Failed to fetch dynamically imported module');
    return () => <p>les messages</p>;
  });
  const said = show(<Panel />);
  await userEvent.click(await retry());
  await vi.waitFor(() => expect(attempts).toBe(2));
  await userEvent.click(await retry());
  expect(await screen.findByText('les messages')).toBeVisible();
  said.mockClear();
});

test('[ROOM7] a panel that has still to load says so in its place; what is around it stays', async () => {
  const code = Promise.withResolvers<() => React.ReactNode>();
  const Panel = lazyComponent(() => code.promise);
  show(<Panel />);
  expect(screen.getByRole('status')).toHaveAccessibleName();
  expect(screen.getByText('le bouton')).toBeVisible();
  code.resolve(() => <p>les messages</p>);
  expect(await screen.findByText('les messages')).toBeVisible();
  expect(screen.queryByRole('status')).toBeNull();
});
