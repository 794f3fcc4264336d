import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { MessageText } from './message-text.tsx';

test('[CHATS8] an address is read from left to right, whatever direction the text around it has', () => {
  render(<MessageText text={'\u202eمرحبا https://example.org/مرحبا?x=1'} />);
  expect(screen.getByRole('link').dir).toBe('ltr');
});
