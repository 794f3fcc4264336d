import { formatList, inSentence } from '#src/shared/format/format.ts';
import type { Language } from '#src/shared/i18n/languages.ts';
import { useShownLanguage } from '#src/shared/i18n/use-language.ts';
import { useLiveTitle } from '#src/shared/ui/page-title.ts';
import { useArrival } from '#src/shared/ui/use-arrival.ts';
import { talkFace } from './button/talk-face.ts';
import type { RoomSnapshot } from './engine/types.ts';
import { causeOf, isFinal } from './final-status.ts';
import { useVoiceWords, type VoiceWords } from './talk-words.ts';

/** The title of a page that shows a room: its channel, and who talks there; once the room has ended, why. */
export function useRoomPage(snapshot: RoomSnapshot, fallbackName: string): void {
  const t = useVoiceWords();
  const { channel, status } = snapshot;
  const name = channel?.name ?? (fallbackName || t('room.unnamed'));
  useArrival(isFinal(status) ? t(`closed.${causeOf(status)}`) : name, isFinal(status) || channel !== null);
  useRoomTitle(snapshot);
}

/** Says in the tab's title who talks in the room, or that its link is lost, whatever page is shown [TALK113]. */
export function useRoomTitle(snapshot: RoomSnapshot): void {
  const t = useVoiceWords();
  const current = useShownLanguage();
  useLiveTitle(roomTitle(t, snapshot, current));
}

function roomTitle(t: VoiceWords, snapshot: RoomSnapshot, language: Language): string | null {
  const { channel: room, status, talkers } = snapshot;
  if (room === null || status.state === 'closed' || status.state === 'refused') return null;
  const channel = inSentence(room.name);
  const face = talkFace(snapshot);
  if (face.kind === 'talking') return t('tab.onAir', { channel });
  if (face.kind === 'no_link') return t('tab.lost', { channel });
  if (talkers.length === 0) return null;
  const names = formatList(
    talkers.map(({ name }) => inSentence(name)),
    language,
  );
  return t('tab.talking', { count: talkers.length, names, channel });
}
