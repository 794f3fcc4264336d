import { type ChannelId, channelId } from '@pressel/contract/ids';

/** What is open over the list of channels. */
export type ChannelPanel = { type: 'create' } | { type: 'edit' | 'members'; id: ChannelId };

/** The panel as it stands in the address: 'create', 'edit:<id>', 'members:<id>'. */
export const panelText = (panel: ChannelPanel): string =>
  panel.type === 'create' ? 'create' : `${panel.type}:${panel.id}`;

/** The panel that an address names; undefined for none, or for something that is no panel. */
export function panelOf(text: string | undefined): ChannelPanel | undefined {
  if (text === undefined) return undefined;
  if (text === 'create') return { type: 'create' };
  const [type, rawId] = text.split(':');
  const id = channelId.safeParse(rawId).data;
  return (type === 'edit' || type === 'members') && id !== undefined ? { type, id } : undefined;
}
