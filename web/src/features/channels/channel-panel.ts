import { type ChannelId, channelId } from '@pressel/contract/ids';

/** The dialog that is open over the list of channels. */
export type ChannelPanel = { type: 'create' } | { type: 'edit' | 'members'; id: ChannelId };

/** Returns the panel as URL parameter: 'create', 'edit:<id>', 'members:<id>'. */
export const panelText = (panel: ChannelPanel): string =>
  panel.type === 'create' ? 'create' : `${panel.type}:${panel.id}`;

/** Parses the URL parameter; undefined if absent or invalid. */
export function panelOf(text: string | undefined): ChannelPanel | undefined {
  if (text === undefined) return undefined;
  if (text === 'create') return { type: 'create' };
  const [type, rawId] = text.split(':');
  const id = channelId.safeParse(rawId).data;
  return (type === 'edit' || type === 'members') && id !== undefined ? { type, id } : undefined;
}
