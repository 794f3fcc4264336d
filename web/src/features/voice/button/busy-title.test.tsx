import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { BusyTitle } from './busy-title.tsx';

test.each([
  ['Léa Moreau', 'l'],
  ['Maximilienne-Alexandrine Roux', 'm'],
  ['Donaudampfschifffahrt Müller', 's'],
])('the longest word of %s stays whole: its size is %s', async (name, size) => {
  render(
    <WithVoiceWords language="fr">
      <BusyTitle name={name} />
    </WithVoiceWords>,
  );
  expect(await screen.findByText(name)).toHaveAttribute('data-size', size);
});
