import type { UserId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { channelOf, sampleId } from '#test/samples.ts';
import { panelOf, panelText } from './channel-panel.ts';
import { type ChannelEdit, changedMembers, membersAfter, mergeEdits } from './edit-channel-dialog.tsx';

const edit = (name: string, talkMode: ChannelEdit['talkMode'] = 'single'): ChannelEdit => ({ name, talkMode });

test.each([
  ['what only they changed is theirs', edit('A'), edit('B', 'open'), edit('B', 'open'), false],
  ['what only I changed stays mine', edit('B', 'open'), edit('A'), edit('B', 'open'), false],
  ['changes of different fields are both kept', edit('A', 'open'), edit('B'), edit('B', 'open'), false],
  ['the same change twice is no conflict', edit('B'), edit('B'), edit('B'), false],
  ['two names are a conflict, and the rest is merged', edit('B'), edit('C', 'open'), edit('B', 'open'), true],
] as const)('%s', (_, mine, theirs, merged, isConflict) => {
  expect(mergeEdits(edit('A'), mine, theirs)).toEqual({ ...merged, isConflict });
});

test('ticking back to what the server has is no change', () => {
  const [one, two] = [sampleId(1) as UserId, sampleId(2) as UserId];
  const rows = [
    { id: one, isMember: true },
    { id: two, isMember: false },
  ];
  const all = changedMembers(new Map(), rows, true);
  expect(membersAfter(all)).toEqual({ added: [two], removed: [] });
  const none = changedMembers(all, rows, false);
  expect(membersAfter(none)).toEqual({ added: [], removed: [one] });
  expect(changedMembers(none, rows.slice(0, 1), true).size).toBe(0);
});

test('an address names a panel, or none', () => {
  const { id } = channelOf(1, 'Nord');
  for (const panel of [{ type: 'create' }, { type: 'edit', id }, { type: 'members', id }] as const) {
    expect(panelOf(panelText(panel))).toEqual(panel);
  }
  for (const text of [undefined, '', 'edit:', 'edit:x', `delete:${id}`, id]) expect(panelOf(text)).toBeUndefined();
});
