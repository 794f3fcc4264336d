import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { RoomParticipant } from './engine/types.ts';
import type { TalkButtonState } from './talk-button-state.ts';
import { isNamedKey, type TalkKey } from './talk-key.ts';

/** Number of letters in a name's longest word: a broken word is harder to read than a smaller one. */
export const longestWord = (name: string): number => Math.max(...name.split(/[\s-]+/u).map((word) => word.length));

/** The texts of the voice feature in the current language. */
export const useVoiceWords = () => useTranslation('voice').t;
export type VoiceWords = ReturnType<typeof useVoiceWords>;

/** The title on the talk button. */
export function talkButtonTitle(t: VoiceWords, talkButton: TalkButtonState): string {
  switch (talkButton.kind) {
    case 'busy':
      return t('talk.busy', { name: talkButton.talkerName });
    case 'queued':
      return t('talk.queued', { position: talkButton.position });
    case 'talking':
      return t(talkButton.isSoundless ? 'talk.soundless' : 'talk.talking');
    case 'no_microphone':
      return t(talkButton.isMuted ? 'talk.muted' : 'talk.no_microphone');
    default:
      return t(`talk.${talkButton.kind}`);
  }
}

/** The line below the title: what to do, or why not. `secondsLeft` is only set in the last seconds of a talk. */
export function talkButtonDetail(t: VoiceWords, talkButton: TalkButtonState, secondsLeft: number | undefined): string {
  switch (talkButton.kind) {
    case 'idle':
      if (talkButton.isAlone) return t('detail.alone');
      if (talkButton.talkerName !== undefined) return t('detail.alsoTalking', { name: talkButton.talkerName });
      return t('detail.idle');
    case 'asking':
      return talkButton.isOpen ? t('detail.askingOpen') : t('detail.asking');
    case 'talking':
      if (talkButton.isSoundless) return t('detail.soundless');
      if (talkButton.isCut && secondsLeft === undefined) return t('detail.cut');
      return secondsLeft === undefined ? t('detail.talking') : t('detail.lastSeconds', { count: secondsLeft });
    case 'queued':
      return talkButton.position === 1 ? t('detail.next') : t('detail.queued', { count: talkButton.position - 1 });
    case 'denied':
      return deniedDetail(t, talkButton);
    case 'revoked':
      if (talkButton.reason !== 'preempted') return t(`revoked.${talkButton.reason}`);
      return talkButton.byName === undefined
        ? t('revoked.preemptedUnnamed')
        : t('revoked.preempted', { name: talkButton.byName });
    case 'no_link':
      return t(talkButton.isSilent ? 'detail.silent' : 'detail.no_link');
    case 'no_microphone':
      return t(talkButton.isMuted ? 'detail.muted' : 'detail.no_microphone');
    case 'busy':
      if (talkButton.isSilenced) return t('detail.silenced');
      return t(talkButton.givesWay ? 'detail.takeOver' : 'detail.busy');
    default:
      return t(`detail.${talkButton.kind}`);
  }
}

function deniedDetail(t: VoiceWords, talkButton: Extract<TalkButtonState, { kind: 'denied' }>): string {
  if (talkButton.reason !== 'taken') return t(`denied.${talkButton.reason}`);
  return talkButton.talkerName === undefined
    ? t('denied.takenUnnamed')
    : t('denied.taken', { name: talkButton.talkerName });
}

/** The states of a participant that a tile can show. */
export type Presence =
  | 'self'
  | 'selfTalking'
  | 'connected'
  | 'talking'
  | 'unheard'
  | 'silenced'
  | 'queued'
  | 'connecting'
  | 'interrupted'
  | 'failed';

/** `canTalk`: whether self has a working microphone. */
export function presenceOf(participant: RoomParticipant, canTalk: boolean): Presence {
  const { isSelf, isTalking, queuePosition, media, isSilenced } = participant;
  if (isTalking) {
    if (isSelf) return 'selfTalking';
    if (isSilenced) return 'silenced';
    // A talker whose connection failed must look different from one who is heard.
    return media === 'failed' || media === 'interrupted' ? 'unheard' : 'talking';
  }
  if (queuePosition > 0) return 'queued';
  if (isSelf || media === 'self') return canTalk ? 'self' : 'connected';
  return media;
}

/** The name of a key: its label on the keyboard, or a translated name. */
export function keyName(t: VoiceWords, key: TalkKey): string {
  if (isNamedKey(key.code)) return t(`key.${key.code}`);
  return key.label === '' ? key.code : key.label;
}

/** The texts of the video view in the current language. */
export const useVideoWords = () => useTranslation('video').t;
