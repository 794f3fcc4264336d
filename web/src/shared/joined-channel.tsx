import type { ChannelId, UserId } from '@pressel/contract/ids';
import { createContext, type ReactNode, use } from 'react';

/** The room that the user is in, whatever page is shown. */
export interface JoinedChannel {
  readonly channelId: ChannelId;
  /** The people who talk there, as the room itself knows. */
  readonly talkers: readonly { readonly userId: UserId; readonly name: string }[];
}

const JoinedChannelContext = createContext<JoinedChannel | undefined>(undefined);

/** Lets lists of channels mark the current room's channel, without knowing rooms. */
export function JoinedChannelProvider({
  joined,
  children,
}: {
  joined: JoinedChannel | undefined;
  children: ReactNode;
}) {
  return <JoinedChannelContext value={joined}>{children}</JoinedChannelContext>;
}

/** Undefined for a user who is in no room. */
export const useJoinedChannel = (): JoinedChannel | undefined => use(JoinedChannelContext);
