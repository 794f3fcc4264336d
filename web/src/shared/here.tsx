import type { ChannelId, UserId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use } from 'react';

/** The room that the user is in, whatever page is shown. */
export interface Here {
  readonly channelId: ChannelId;
  /** The people who talk there, as the room itself knows. */
  readonly talkers: readonly { readonly userId: UserId; readonly name: string }[];
}

const HereContext = createContext<Here | undefined>(undefined);

/** Lets lists of channels mark the current room's channel, without knowing rooms. */
export function HereProvider({ here, children }: { here: Here | undefined; children: ReactNode }) {
  return <HereContext value={here}>{children}</HereContext>;
}

/** Undefined for a user who is in no room. */
export const useHere = (): Here | undefined => use(HereContext);
