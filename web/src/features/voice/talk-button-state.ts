import type { RoomSnapshot, TalkState } from './engine/types.ts';

/**
 * The visual states of the talk button. Colour, icon and text all derive from this value, so that they always agree.
 */
export type TalkButtonState =
  | { kind: 'joining' | 'starting' | 'late' | 'ending' | 'unheard' }
  /** `isMuted`: there is a microphone, but something outside the page muted it. */
  | { kind: 'no_microphone'; isMuted: boolean }
  /** `isSilent`: connected, but the server doesn't answer. */
  | { kind: 'no_link'; isSilent: boolean }
  | { kind: 'idle'; isAlone: boolean; talkerName: string | undefined }
  | { kind: 'asking'; isOpen: boolean }
  /** `isSoundless`: the microphone delivers nothing. `isCut`: the server can't be reached, and the talk goes on [TALK153]. */
  | { kind: 'talking'; since: number; endsAt: number; isSoundless: boolean; isCut: boolean }
  /** `isSilenced`: the listener silenced the talker. */
  | { kind: 'busy'; talkerName: string; givesWay: boolean; isSilenced: boolean }
  | { kind: 'queued'; position: number }
  | { kind: 'denied'; reason: Extract<TalkState, { state: 'denied' }>['reason']; talkerName: string | undefined }
  | { kind: 'revoked'; reason: Extract<TalkState, { state: 'revoked' }>['reason']; byName: string | undefined };

export type TalkButtonKind = TalkButtonState['kind'];

/**
 * The talk button's state for a snapshot. The user's own state (talking, waiting, refused) takes precedence over the room's; a lost
 * link takes precedence over both.
 */
export function talkButtonState(snapshot: RoomSnapshot): TalkButtonState {
  const { status, talk, microphone, talkers } = snapshot;
  if (status.state === 'joining') return { kind: 'joining' };
  if (status.state === 'silent') {
    // A running press is shown as long as its microphone may be open.
    if (talk.state === 'idle') return { kind: 'no_link', isSilent: true };
  } else if (status.state !== 'joined' && !isOutcome(talk) && !isOnAir(talk))
    return { kind: 'no_link', isSilent: false };
  switch (talk.state) {
    case 'asking':
      return talk.late ? { kind: 'late' } : { kind: 'asking', isOpen: talk.open };
    case 'talking':
      return {
        kind: 'talking',
        since: talk.since,
        endsAt: talk.endsAt,
        isSoundless: snapshot.isSoundless,
        isCut: status.state === 'lost',
      };
    case 'ending':
    case 'unheard':
      return { kind: talk.state };
    case 'queued':
      return { kind: 'queued', position: talk.position };
    case 'denied':
      return { kind: 'denied', reason: talk.reason, talkerName: talk.talkerName };
    case 'revoked':
      return { kind: 'revoked', reason: talk.reason, byName: talk.byName };
    case 'idle':
      break;
    default:
      talk satisfies never;
  }
  if (microphone.state === 'unavailable') return { kind: 'no_microphone', isMuted: microphone.reason === 'muted' };
  const first = talkers[0];
  if (first && snapshot.channel?.talkMode !== 'open') {
    const isSilenced = snapshot.participants.some(({ id, isSilenced: isOff }) => id === first.id && isOff);
    return { kind: 'busy', talkerName: first.name, givesWay: first.givesWay, isSilenced };
  }
  if (microphone.state === 'starting') return { kind: 'starting' };
  return { kind: 'idle', isAlone: snapshot.participants.length < 2, talkerName: first?.name };
}

/** Whether a talk has no sound: the own microphone delivers nothing, or the listener silenced the talker. */
export const isWithoutSound = (talkButton: TalkButtonState): boolean =>
  (talkButton.kind === 'talking' && talkButton.isSoundless) || (talkButton.kind === 'busy' && talkButton.isSilenced);

/** Whether the microphone is open: shown whatever happens to the link. */
const isOnAir = (talk: TalkState): boolean => talk.state === 'talking' || talk.state === 'ending';

/** The outcome of a press is shown even while the link is lost: it is the first sign of the loss. */
const isOutcome = (talk: TalkState): boolean =>
  talk.state === 'revoked' || talk.state === 'unheard' || (talk.state === 'denied' && talk.reason === 'unanswered');
