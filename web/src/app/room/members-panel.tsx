import type { ChannelId, UserId } from '@pressel/contract/ids';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';
import { countPeople } from '#src/features/voice/people.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { channelMembersQuery, keepMembersFresh } from './room-members.queries.ts';
import { RoomMembers } from './room-members.tsx';

export interface MembersPanelProps {
  /** Undefined until the room was entered. */
  channelId: ChannelId | undefined;
  participants: readonly RoomParticipant[];
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
  onLocate: ((userId: UserId, name: string) => void) | undefined;
}

/** The channel's members, read and kept fresh only while this is shown: a phone with its drawer closed asks for nothing. */
export function MembersPanel({ channelId, participants, isLive, onLocate }: MembersPanelProps) {
  const realtime = useRealtime();
  const queryClient = useQueryClient();
  const members = useQuery(channelMembersQuery(useApi(), channelId));

  useEffect(() => {
    if (channelId === undefined) return;
    return keepMembersFresh(queryClient, realtime, channelId);
  }, [queryClient, realtime, channelId]);

  return (
    <RoomMembers
      members={members.data}
      hasFailed={members.isError}
      onRetry={() => void members.refetch()}
      participants={participants}
      isLive={isLive}
      onLocate={onLocate}
    />
  );
}

/** How many people are here, and how many members there are; nothing until these are known. */
export function MembersCount({ channelId, participants }: Pick<MembersPanelProps, 'channelId' | 'participants'>) {
  const t = useVoiceWords();
  const members = useQuery(channelMembersQuery(useApi(), channelId)).data;
  if (members === undefined) return null;
  return (
    <>
      <span>{t('room.here', { count: countPeople(participants).users })}</span>{' '}
      <span>{t('members.total', { count: members.length })}</span>
    </>
  );
}
