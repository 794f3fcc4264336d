import { VisuallyHidden } from '@mantine/core';
import { useMemo, useState } from 'react';
import { formatList } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { Language } from '#src/shared/languages.ts';
import type { RoomSnapshot } from './engine/types.ts';
import { talkButtonState } from './talk-button-state.ts';
import { talkButtonDetail, talkButtonTitle, useVoiceWords, type VoiceWords } from './talk-words.ts';
import { type RoomSource, useRoomsSelector } from './use-room-selector.ts';

/** Announces to screen readers who talks and the outcome of a press; intermediate states are not announced. */
export function VoiceAnnouncer({ room }: { room: RoomSource }) {
  const rooms = useMemo(() => [room], [room]);
  return <RoomsAnnouncer rooms={rooms} />;
}

/** The same for several rooms. Rooms with the same announcement share one sentence. */
export function RoomsAnnouncer({ rooms }: { rooms: readonly RoomSource[] }) {
  const t = useVoiceWords();
  const language = useShownLanguage();
  const isLost = useRoomsSelector(rooms, (snapshots) =>
    snapshots.some(({ status: { state } }) => state === 'lost' || state === 'silent'),
  );
  const isJoined = useRoomsSelector(rooms, (snapshots) => snapshots.some(({ status }) => status.state === 'joined'));
  const words = useRoomsSelector(rooms, (snapshots) => announcements(t, language, snapshots));
  // Kept until there is another announcement.
  const [wasLost, setWasLost] = useState(false);
  if (isLost !== wasLost && (isLost || words !== '')) setWasLost(isLost);
  return (
    <VisuallyHidden role="status" aria-live="polite" data-voice-announcer="">
      {words === '' && wasLost && isJoined ? t('announce.back') : words}
    </VisuallyHidden>
  );
}

/** Rooms with the same announcement are named together; a page's only room is not named. */
function announcements(t: VoiceWords, language: Language, snapshots: readonly RoomSnapshot[]): string {
  const [only] = snapshots;
  if (only !== undefined && snapshots.length === 1) return announcement(t, only);
  const said = Map.groupBy(snapshots, (snapshot) => announcement(t, snapshot));
  said.delete('');
  const sentences = [...said].map(([words, of]) => {
    const names = of.map(({ channel }) => channel?.name ?? t('room.unnamed'));
    return t('announce.in', { channels: formatList(names, language), words });
  });
  return sentences.map((sentence) => (sentence.endsWith('.') ? sentence : `${sentence}.`)).join(' ');
}

/** The sentence to announce, or empty. Screen readers speak it when it changes. */
function announcement(t: VoiceWords, snapshot: RoomSnapshot): string {
  const talkButton = talkButtonState(snapshot);
  // The banner above every room says that the link is lost (KEYS5).
  if (snapshot.status.state === 'lost' && talkButton.kind !== 'unheard' && talkButton.kind !== 'talking') return '';
  if (snapshot.status.state === 'silent' && talkButton.kind === 'no_link') return t('announce.silent');
  switch (talkButton.kind) {
    case 'talking':
      return talkButton.isSoundless || talkButton.isCut
        ? `${talkButtonTitle(t, talkButton)}. ${talkButtonDetail(t, talkButton, undefined)}`
        : talkButtonTitle(t, talkButton);
    case 'queued':
      return talkButtonTitle(t, talkButton);
    case 'late':
    case 'unheard':
      return talkButtonDetail(t, talkButton, undefined);
    case 'denied':
    case 'revoked':
      return `${talkButtonTitle(t, talkButton)}. ${talkButtonDetail(t, talkButton, undefined)}`;
    case 'asking':
    case 'ending':
    case 'joining':
    case 'no_link':
      return '';
    default:
      return snapshot.talkers.map((one) => t('announce.talking', { name: one.name })).join(', ');
  }
}
