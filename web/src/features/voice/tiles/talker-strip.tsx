import { IconAntenna, IconEar, IconMicrophone } from '@tabler/icons-react';
import { formatList } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { RoomParticipant } from '../engine/types.ts';
import { LastTalkLine } from '../last-talk.tsx';
import { useVoiceWords } from '../talk-words.ts';
import { type RoomSource, useRoomSelector } from '../use-room-selector.ts';
import styles from './talker-strip.module.css';

/** One line with the talkers and the queue, where the tiles are not in view. */
export function TalkerStrip({ room }: { room: RoomSource }) {
  const t = useVoiceWords();
  const current = useShownLanguage();
  const participants = useRoomSelector(room, (snapshot) => snapshot.participants);
  const lastTalk = useRoomSelector(room, (snapshot) => snapshot.lastTalk);
  const isOnAir = participants.some((one) => one.isSelf && one.isTalking);
  const named = ({ name, guest }: RoomParticipant) => (guest === null ? name : t('strip.guest', { name: guest.name }));
  const talkers = participants.filter((one) => one.isTalking && !one.isSelf).map(named);
  const waiting = participants
    .filter((one) => one.queuePosition > 0)
    .sort((a, b) => a.queuePosition - b.queuePosition)
    .map((one) => (one.isSelf ? t('strip.you') : named(one)));
  const state = isOnAir ? 'transmit' : talkers.length > 0 ? 'receive' : 'idle';
  const said = {
    transmit: () => t('talk.talking'),
    receive: () => t('strip.talking', { count: talkers.length, names: formatList(talkers, current) }),
    idle: () => t('strip.idle'),
  }[state]();
  const queue = t('strip.queue', { names: formatList(waiting, current) });
  const Icon = { transmit: IconAntenna, receive: IconEar, idle: IconMicrophone }[state];
  return (
    <p className={styles.strip} data-strip={state}>
      {state === 'idle' && lastTalk !== null ? (
        <LastTalkLine talk={lastTalk} />
      ) : (
        <>
          <Icon className={styles.icon} size={18} aria-hidden="true" />
          <span className={styles.talker} title={said}>
            {said}
          </span>
        </>
      )}
      {waiting.length > 0 && (
        <span className={styles.queue} title={queue}>
          {queue}
        </span>
      )}
    </p>
  );
}
