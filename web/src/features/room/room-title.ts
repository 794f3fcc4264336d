import { causeOf, isFinal, type RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { talkButtonState } from '#src/features/voice/talk-button-state.ts';
import { useVoiceWords, type VoiceWords } from '#src/features/voice/talk-words.ts';
import { type RoomSource, useRoomSelector } from '#src/features/voice/use-room-selector.ts';
import { formatList } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { Language } from '#src/shared/languages.ts';
import { useAnnouncedTitle, useLiveTitle } from '#src/shared/ui/page-title.ts';

/** Sets the title of a page that shows a room: its channel, or once the room has ended, the reason. */
export function useRoomPage(room: RoomSource, fallbackName: string): void {
  const t = useVoiceWords();
  const status = useRoomSelector(room, (snapshot) => snapshot.status);
  const known = useRoomSelector(room, ({ channel }) => channel?.name);
  const name = known ?? (fallbackName || t('room.unnamed'));
  useAnnouncedTitle(isFinal(status) ? t(`closed.${causeOf(status)}`) : name, isFinal(status) || known !== undefined);
}

/** Shows in the tab's title who talks in the room, or that its link is lost, on every page [TALK113]. */
export function RoomTitle({ room }: { room: RoomSource }) {
  const t = useVoiceWords();
  const language = useShownLanguage();
  useLiveTitle(useRoomSelector(room, (snapshot) => roomTitle(t, snapshot, language)));
  return null;
}

function roomTitle(t: VoiceWords, snapshot: RoomSnapshot, language: Language): string | null {
  const { channel: room, status, talkers } = snapshot;
  if (room === null || status.state === 'closed' || status.state === 'refused') return null;
  const channel = room.name;
  const talkButton = talkButtonState(snapshot);
  if (talkButton.kind === 'talking') return t('tab.onAir', { channel });
  if (talkButton.kind === 'no_link') return t('tab.lost', { channel });
  if (talkers.length === 0) return null;
  const names = formatList(
    talkers.map(({ name }) => name),
    language,
  );
  return t('tab.talking', { count: talkers.length, names, channel });
}
