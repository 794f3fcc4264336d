import { countPeople } from '#src/features/voice/people.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import type { MembersPanelProps } from './members-panel.tsx';
import { useChannelMembers } from './use-channel-members.ts';

/** How many people are here, and how many members there are; nothing until these are known. */
export function MembersCount({ channelId, participants }: Pick<MembersPanelProps, 'channelId' | 'participants'>) {
  const t = useVoiceWords();
  const members = useChannelMembers(channelId).data;
  if (members === undefined) return null;
  return (
    <>
      <span>{t('room.here', { count: countPeople(participants).users })}</span>{' '}
      <span>{t('members.total', { count: members.length })}</span>
    </>
  );
}
