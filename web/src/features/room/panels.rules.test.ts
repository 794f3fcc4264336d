import { describe, expect, test } from 'vitest';
import { arrange, DEFAULT_FRAME, framePreference, withinLimits } from './panels.rules.ts';

const wide = { width: 'wide', hasMap: true, wanted: undefined, folded: [] } as const;

describe('[ROOM1] on a wide screen', () => {
  test('who is here, the map and the messages stand side by side', () => {
    expect(arrange(wide)).toEqual({ people: 'pane', map: 'pane', side: 'messages', tab: undefined });
  });

  test('[ROOM5] without the right to see a map there is no place for one', () => {
    expect(arrange({ ...wide, hasMap: false })).toEqual({
      people: 'whole',
      map: 'hidden',
      side: 'messages',
      tab: undefined,
    });
  });

  test('[ROOM4] each pane folds away, and the talk button stays', () => {
    expect(arrange({ ...wide, folded: ['people'] })).toMatchObject({ people: 'slim', map: 'pane' });
    expect(arrange({ ...wide, folded: ['map'] })).toMatchObject({ people: 'whole', map: 'hidden' });
    expect(arrange({ ...wide, folded: ['side'] })).toMatchObject({ side: undefined, map: 'pane' });
    expect(arrange({ ...wide, folded: ['people', 'map', 'side'] })).toMatchObject({ people: 'whole', side: undefined });
  });

  test('[ROOM6] an address that names a panel shows it, folded or not', () => {
    expect(arrange({ ...wide, wanted: 'members', folded: ['side'] })).toMatchObject({ side: 'members' });
    expect(arrange({ ...wide, wanted: 'map', folded: ['map'] })).toMatchObject({ people: 'pane', map: 'pane' });
    expect(arrange({ ...wide, wanted: 'map', folded: ['map'], hasMap: false })).toMatchObject({ map: 'hidden' });
  });
});

test('[ROOM1] on a screen of middle width the map is below, and a panel is a column that opens', () => {
  const middle = { width: 'middle', hasMap: true, wanted: undefined, folded: ['people', 'side'] } as const;
  expect(arrange(middle)).toEqual({ people: 'whole', map: 'below', side: undefined, tab: undefined });
  for (const side of ['messages', 'talks', 'members'] as const) {
    expect(arrange({ ...middle, wanted: side })).toMatchObject({ people: 'whole', side });
  }
});

test('[ROOM1] a narrow screen shows one at a time, and never a map without the right to it', () => {
  const narrow = { width: 'narrow', hasMap: true, wanted: undefined, folded: [] } as const;
  expect(arrange(narrow)).toEqual({ people: 'whole', map: 'hidden', side: undefined, tab: 'people' });
  expect(arrange({ ...narrow, wanted: 'members' })).toEqual({
    people: 'hidden',
    map: 'hidden',
    side: 'members',
    tab: 'members',
  });
  expect(arrange({ ...narrow, wanted: 'map' })).toMatchObject({ people: 'hidden', map: 'tab', tab: 'map' });
  expect(arrange({ ...narrow, wanted: 'map', hasMap: false })).toMatchObject({ people: 'whole', tab: 'people' });
});

test('widths keep within their limits, and what was stored wrongly becomes the default', () => {
  expect(withinLimits('side', 10_000)).toBe(640);
  expect(withinLimits('people', 12.3)).toBe(280);
  expect(framePreference.parse({ people: 'x', side: 99_999, folded: ['roof'] })).toEqual(DEFAULT_FRAME);
});
