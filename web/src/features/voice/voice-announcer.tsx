import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { talkFace } from './button/talk-face.ts';
import type { RoomSnapshot } from './engine/types.ts';
import { faceDetail, faceTitle, useVoiceWords, type VoiceWords } from './talk-words.ts';
import { type RoomSource, useRoomPart } from './use-room-part.ts';

/** Announces to screen readers who talks and the outcome of a press; intermediate states are not announced. */
export function VoiceAnnouncer({ room }: { room: RoomSource }) {
  const t = useVoiceWords();
  const state = useRoomPart(room, (snapshot) => snapshot.status.state);
  const words = useRoomPart(room, (snapshot) => announcement(t, snapshot));
  // Until something else is to be said.
  const [wasLost, setWasLost] = useState(false);
  const isLost = state === 'lost' || state === 'silent';
  if (isLost !== wasLost && (isLost || words !== '')) setWasLost(isLost);
  return (
    <VisuallyHidden role="status" aria-live="polite" data-voice-announcer="">
      {words === '' && wasLost && state === 'joined' ? t('announce.back') : words}
    </VisuallyHidden>
  );
}

/** The sentence to announce, or empty. Screen readers speak it when it changes. */
function announcement(t: VoiceWords, snapshot: RoomSnapshot): string {
  const face = talkFace(snapshot);
  // The banner above every room says that the link is lost (KEYS5).
  if (snapshot.status.state === 'lost' && face.kind !== 'unheard' && face.kind !== 'talking') return '';
  if (snapshot.status.state === 'silent' && face.kind === 'no_link') return t('announce.silent');
  switch (face.kind) {
    case 'talking':
      return face.isSoundless || face.isCut
        ? `${faceTitle(t, face)}. ${faceDetail(t, face, undefined)}`
        : faceTitle(t, face);
    case 'queued':
      return faceTitle(t, face);
    case 'late':
    case 'unheard':
      return faceDetail(t, face, undefined);
    case 'denied':
    case 'revoked':
      return `${faceTitle(t, face)}. ${faceDetail(t, face, undefined)}`;
    case 'asking':
    case 'ending':
    case 'joining':
    case 'no_link':
      return '';
    default:
      return snapshot.talkers.map((one) => t('announce.talking', { name: one.name })).join(', ');
  }
}
