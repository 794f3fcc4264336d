import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { TalkFace } from './button/talk-face.ts';
import type { RoomParticipant } from './engine/types.ts';
import { isNamedKey, type TalkKey } from './talk-key.ts';

/** The texts of the voice feature in the current language. */
export const useVoiceWords = () => useTranslation('voice').t;
export type VoiceWords = ReturnType<typeof useVoiceWords>;

/** The title on the talk button. */
export function faceTitle(t: VoiceWords, face: TalkFace): string {
  switch (face.kind) {
    case 'busy':
      return t('talk.busy', { name: face.talkerName });
    case 'queued':
      return t('talk.queued', { position: face.position });
    case 'talking':
      return t(face.isSoundless ? 'talk.soundless' : 'talk.talking');
    case 'no_microphone':
      return t(face.isMuted ? 'talk.muted' : 'talk.no_microphone');
    default:
      return t(`talk.${face.kind}`);
  }
}

/** The line below the title: what to do, or why not. `secondsLeft` is only set in the last seconds of a talk. */
export function faceDetail(t: VoiceWords, face: TalkFace, secondsLeft: number | undefined): string {
  switch (face.kind) {
    case 'idle':
      if (face.isAlone) return t('detail.alone');
      if (face.talkerName !== undefined) return t('detail.alsoTalking', { name: face.talkerName });
      return t('detail.idle');
    case 'asking':
      return face.isOpen ? t('detail.askingOpen') : t('detail.asking');
    case 'talking':
      if (face.isSoundless) return t('detail.soundless');
      if (face.isCut && secondsLeft === undefined) return t('detail.cut');
      return secondsLeft === undefined ? t('detail.talking') : t('detail.lastSeconds', { count: secondsLeft });
    case 'queued':
      return face.position === 1 ? t('detail.next') : t('detail.queued', { count: face.position - 1 });
    case 'denied':
      return deniedDetail(t, face);
    case 'revoked':
      if (face.reason !== 'preempted') return t(`revoked.${face.reason}`);
      return face.byName === undefined ? t('revoked.preemptedUnnamed') : t('revoked.preempted', { name: face.byName });
    case 'no_link':
      return t(face.isSilent ? 'detail.silent' : 'detail.no_link');
    case 'no_microphone':
      return t(face.isMuted ? 'detail.muted' : 'detail.no_microphone');
    case 'busy':
      if (face.isSilenced) return t('detail.silenced');
      return t(face.givesWay ? 'detail.takeOver' : 'detail.busy');
    default:
      return t(`detail.${face.kind}`);
  }
}

function deniedDetail(t: VoiceWords, face: Extract<TalkFace, { kind: 'denied' }>): string {
  if (face.reason !== 'taken') return t(`denied.${face.reason}`);
  return face.talkerName === undefined ? t('denied.takenUnnamed') : t('denied.taken', { name: face.talkerName });
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
