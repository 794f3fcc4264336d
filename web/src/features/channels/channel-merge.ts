import type { Channel } from '@pressel/contract/channels';

/** What of a channel is edited in fields. */
export type ChannelEdit = Pick<Channel, 'name' | 'talkMode'>;

/**
 * Two changes of one channel made one: a field that I left alone becomes theirs, one that they left alone stays mine.
 * A conflict is a field that both changed, each to something else; it stays mine until it is decided.
 */
export function mergeEdits(base: ChannelEdit, mine: ChannelEdit, theirs: ChannelEdit) {
  const merge = <Field extends keyof ChannelEdit>(field: Field) => ({
    value: mine[field] === base[field] ? theirs[field] : mine[field],
    isConflict: mine[field] !== base[field] && theirs[field] !== base[field] && mine[field] !== theirs[field],
  });
  const [name, talkMode] = [merge('name'), merge('talkMode')];
  return { name: name.value, talkMode: talkMode.value, isConflict: name.isConflict || talkMode.isConflict };
}
