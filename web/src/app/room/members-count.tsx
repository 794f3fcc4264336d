import type { ChannelId } from '@pressel/contract/ids';
import { useMembersTotal } from '#src/features/members/use-members.ts';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';
import { countPeople } from '#src/features/voice/people.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

interface MembersCountProps {
  channelId: ChannelId | undefined;
  participants: readonly RoomParticipant[];
}

/** Shows how many people are here and how many members there are; nothing until both are known. */
export function MembersCount({ channelId, participants }: MembersCountProps) {
  const t = useVoiceWords();
  const { t: tMembers } = useTranslation('members');
  const count = useMembersTotal(channelId);
  if (count === undefined) return null;
  return (
    <>
      <span>{t('room.here', { count: countPeople(participants).users })}</span>{' '}
      <span>{tMembers('total', { count })}</span>
    </>
  );
}
