import { useDebouncedValue } from '@mantine/hooks';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { ALL_MEMBERS, memberQuery, membersQuery } from './members.queries.ts';
import { feedOf, keepMembersFresh } from './members.realtime.ts';
import { viewed } from './members.rules.ts';
import { isWhole, type MembersPart, type MembersView } from './members-part.ts';

/** Debounce of the filter while typing, ms. */
const TYPING_PAUSE_MS = 150;

export interface Members {
  /** `undefined` during the first load. */
  part: MembersPart | undefined;
  /** The order, the filter and how much was read, of what is shown. The answer to the newest request may not be there yet. */
  asked: string;
  /** The reason why it can't be read; null as long as it can. */
  error: Error | null;
  onRetry: () => void;
  /** Reads more, at least up to this row. */
  onMore: (row: number) => void;
}

function useFreshMembers(channelId: ChannelId | undefined): void {
  const realtime = useRealtime();
  const queries = useQueryClient();
  const api = useApi();
  useEffect(() => {
    if (channelId === undefined) return undefined;
    return keepMembersFresh({ queries, realtime, api }, channelId);
  }, [queries, realtime, api, channelId]);
}

/**
 * Reads a channel's members and keeps them fresh, only while this is used: a phone with its drawer closed requests
 * nothing. A small channel is read as a whole: it is filtered and sorted here, also without a link. The server does
 * that for a large one.
 */
export function useMembers(channelId: ChannelId | undefined, view: MembersView): Members {
  useFreshMembers(channelId);
  const api = useApi();
  const queries = useQueryClient();
  const [filter] = useDebouncedValue(view.filter, TYPING_PAUSE_MS);
  const all = useQuery(membersQuery(api, channelId, ALL_MEMBERS));
  const asked = { ...view, filter };
  const isLong = all.data !== undefined && !isWhole(all.data);
  const isOther = isLong && (asked.isDescending || asked.filter.trim() !== '');
  const found = useQuery({
    ...membersQuery(api, channelId, asked),
    enabled: isOther,
    // The rows found before stay until the next answer, but never for another channel.
    placeholderData: (before, query) => (query?.queryKey[1] === channelId ? before : undefined),
  });
  const shown = isOther ? found : all;
  const part = isLong ? shown.data : all.data && viewed(all.data, view, channelId);
  return {
    part,
    asked: part === undefined ? '' : `${part.view.isDescending} ${part.parts} ${part.view.filter.trim()}`,
    error: shown.error,
    onRetry: () => void shown.refetch(),
    onMore: (row) => {
      if (isLong) void feedOf(queries, channelId)?.more(asked, row);
    },
  };
}

/** Returns how many members a channel has; undefined until it is known. */
export function useMembersTotal(channelId: ChannelId | undefined): number | undefined {
  useFreshMembers(channelId);
  return useQuery(membersQuery(useApi(), channelId, ALL_MEMBERS)).data?.total;
}

/** Returns one member; null for a user who isn't one, undefined until it is known. */
export function useMember(channelId: ChannelId, id: UserId) {
  useFreshMembers(channelId);
  return useQuery(memberQuery(useApi(), channelId, id)).data;
}
