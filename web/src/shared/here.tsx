import type { ChannelId, UserId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use } from 'react';

/** The room that one is in, whatever page is shown. */
export interface Here {
  readonly channelId: ChannelId;
  /** Who talks there, as the room itself knows. */
  readonly talkers: readonly { readonly userId: UserId; readonly name: string }[];
}

const HereContext = createContext<Here | undefined>(undefined);

/** Lets lists of channels mark the one whose room one is in, without knowing rooms. */
export function HereProvider({ here, children }: { here: Here | undefined; children: ReactNode }) {
  return <HereContext value={here}>{children}</HereContext>;
}

/** Undefined for who is in no room. */
export const useHere = (): Here | undefined => use(HereContext);
