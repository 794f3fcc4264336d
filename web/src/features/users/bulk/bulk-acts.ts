import type { ChannelId } from '@pressel/contract/ids';
import type { UserChange } from '@pressel/contract/users';

/** The acts on all selected users. */
export type BulkAct = 'addToChannels' | 'removeFromChannels' | 'grantMap' | 'withdrawMap' | 'delete';

/** Whether the channels have to be chosen first. */
export const needsChannels = (act: BulkAct): boolean => act === 'addToChannels' || act === 'removeFromChannels';

/** Returns the act as a change of the contract. */
export function changeOf(act: BulkAct, channelIds: readonly ChannelId[]): UserChange {
  switch (act) {
    case 'addToChannels':
    case 'removeFromChannels':
      return { type: act, channelIds: [...channelIds] };
    case 'grantMap':
    case 'withdrawMap':
      return { type: 'setMapRight', mapRight: act === 'grantMap' };
    case 'delete':
      return { type: 'delete' };
    default:
      return act satisfies never;
  }
}
