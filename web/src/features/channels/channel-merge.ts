import type { Channel } from '@pressel/contract/channels';

/** The editable fields of a channel. */
export type ChannelEdit = Pick<Channel, 'name' | 'talkMode'>;

/**
 * Three-way merge: a field that only one side changed takes that side's value. A field that both changed to different
 * values is a conflict, and keeps mine until the user decides.
 */
export function mergeEdits(base: ChannelEdit, mine: ChannelEdit, theirs: ChannelEdit) {
  const merge = <Field extends keyof ChannelEdit>(field: Field) => ({
    value: mine[field] === base[field] ? theirs[field] : mine[field],
    isConflict: mine[field] !== base[field] && theirs[field] !== base[field] && mine[field] !== theirs[field],
  });
  const [name, talkMode] = [merge('name'), merge('talkMode')];
  return { name: name.value, talkMode: talkMode.value, isConflict: name.isConflict || talkMode.isConflict };
}
