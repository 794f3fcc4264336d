import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { UserProvider } from '#src/shared/services.tsx';
import { sessionUserOf } from '#test/samples.ts';
import { MessageText } from './message-parts.tsx';

const ME = sessionUserOf({ firstName: 'Camille', lastName: 'Aubert', display_name: 'PC 1' });
const show = (text: string) =>
  render(
    <UserProvider user={ME}>
      <MessageText text={text} />
    </UserProvider>,
  );

test('[CHATS8] an address is read from left to right, whatever direction the text around it has', () => {
  show('\u202eمرحبا https://example.org/مرحبا?x=1');
  expect(screen.getByRole('link').dir).toBe('ltr');
});

test('[CHATS58] names after an @ stand out, the own one most; an address stays an address', () => {
  const text = 'Lu @PC\u00a01 et @Noé : https://example.org/@noe';
  const { container } = show(text);
  expect(container).toHaveTextContent(text.replace('\u00a0', ' '));
  const marks = [...container.querySelectorAll('mark')].map((mark) => [mark.textContent, mark.dataset.mention]);
  expect(marks).toEqual([
    ['@PC\u00a01', 'me'],
    ['@Noé', 'other'],
  ]);
  expect(screen.getByRole('link')).toHaveTextContent('https://example.org/@noe');
});
