import type { RoomSnapshot, TalkState } from './engine/types.ts';

/**
 * What the talk button shows, one word for each of its looks. The button's colour, icon and text all follow from it,
 * so that no two of them can disagree.
 */
export type TalkFace =
  | { kind: 'joining' | 'no_link' | 'no_microphone' | 'starting' | 'ending' }
  | { kind: 'idle'; isAlone: boolean; talkerName: string | undefined }
  | { kind: 'asking'; isOpen: boolean }
  | { kind: 'talking'; since: number; endsAt: number }
  | { kind: 'busy'; talkerName: string; givesWay: boolean }
  | { kind: 'queued'; position: number }
  | { kind: 'denied'; reason: Extract<TalkState, { state: 'denied' }>['reason']; talkerName: string | undefined }
  | { kind: 'revoked'; reason: Extract<TalkState, { state: 'revoked' }>['reason']; byName: string | undefined };

export type FaceKind = TalkFace['kind'];

/**
 * The face for a snapshot. What I do now (talking, waiting, being refused) goes before what the room is like, except
 * that without a link nothing else is true.
 */
export function talkFace(snapshot: RoomSnapshot): TalkFace {
  const { status, talk, microphone, talkers } = snapshot;
  if (status.state === 'joining') return { kind: 'joining' };
  // A talk that the lost link ended says so until the button is let go; then the link itself is the news.
  if (status.state !== 'joined' && talk.state !== 'revoked') return { kind: 'no_link' };
  switch (talk.state) {
    case 'asking':
      return { kind: 'asking', isOpen: talk.open };
    case 'talking':
      return { kind: 'talking', since: talk.since, endsAt: talk.endsAt };
    case 'ending':
      return { kind: 'ending' };
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
  if (microphone.state === 'unavailable') return { kind: 'no_microphone' };
  const first = talkers[0];
  if (first && snapshot.channel?.talkMode !== 'open')
    return { kind: 'busy', talkerName: first.name, givesWay: first.givesWay };
  if (microphone.state === 'starting') return { kind: 'starting' };
  return { kind: 'idle', isAlone: snapshot.participants.length < 2, talkerName: first?.name };
}

/** Whether the button counts as held down: from the press until its release, whatever came of it. */
export const isHeld = (talk: TalkState): boolean => talk.state !== 'idle' && talk.state !== 'ending';
