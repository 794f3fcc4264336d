import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ParticipantId } from '@pressel/contract/ids';
import type { Session } from '#src/accounts/session.ts';
import { type LiveParticipant, newParticipant, type Participants, type Socket } from '#src/sockets/sockets.ts';

const PROCESS_BYTES = 9;

/** The secrets by which clients resume their participants, each for one session (PRES30). */
export interface ResumeTokens {
  make(id: ParticipantId, sessionId: string): string;
  /**
   * @returns the participant that a token of this session is for, and whether this process made the token; null for any other text
   */
  read(token: string, sessionId: string): { id: ParticipantId; isOurs: boolean } | null;
}

/**
 * `<id>.<process>.<mac>`: the key outlives the process. The process's part tells participants that ended here from those of an
 * earlier process.
 */
export function createResumeTokens(key: Buffer): ResumeTokens {
  const ours = randomBytes(PROCESS_BYTES).toString('base64url');
  // Node prepares bytes anew for each use, which takes several times as long as the use.
  const secret = createSecretKey(key);
  const macOf = (id: string, by: string, sessionId: string) =>
    createHmac('sha256', secret).update(`${id} ${by} ${sessionId}`).digest();
  return {
    make: (id, sessionId) => `${id}.${ours}.${macOf(id, ours, sessionId).toString('base64url')}`,
    read(token, sessionId) {
      const [id = '', by = '', mac = '', ...more] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      const expected = macOf(id, by, sessionId);
      if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      return { id: id as ParticipantId, isOurs: by === ours };
    },
  };
}

export interface TakeOverResult {
  participant: LiveParticipant;
  /** The socket's own participant until then. */
  dissolved: LiveParticipant;
  /** Whether it had no socket, and its rooms were told so. */
  wasLost: boolean;
}

/**
 * The session of the newer socket, which says where it comes from now. Its names may be older than those that the participant learnt
 * since.
 */
const withNames = (session: Session, { session: known, namesVersion }: LiveParticipant, version: number): Session => {
  if (version >= namesVersion) return session;
  const { firstName, displayName, fullName, photoId } = known;
  return {
    ...{ ...session, firstName, displayName },
    ...(fullName !== undefined && { fullName }),
    ...(photoId !== undefined && { photoId }),
  };
};

/**
 * Gives a socket the participant of a token. A participant of another process is made anew here, with its id [PRES31] [PROC11].
 * @param of.isShared other processes may hold it
 * @param of.isFree the socket's own participant is in no room and on its way into none, so that it may change its id
 * @returns `elsewhere`: its rows will tell whether another process has it, or had it; `apart`: so they will, but the socket's own
 * participant has to keep its id; null: none was resumed
 */
export function takeOver(
  participants: Participants,
  tokens: ResumeTokens,
  socket: Socket,
  token: string,
  of: { isShared: boolean; isFree: boolean },
): TakeOverResult | 'elsewhere' | 'apart' | null {
  const own = socket.data.participant;
  const claim = tokens.read(token, own.session.id);
  if (claim === null || claim.id === own.id) return null;
  const participant = participants.find(claim.id);
  if (participant === null) {
    // A participant that ended here is over, unless another process took it over before: its rows will tell.
    if (claim.isOurs && !of.isShared) return null;
    if (!of.isFree) return 'apart';
    participants.adopt(own, claim.id);
    return own.id === claim.id ? 'elsewhere' : null;
  }
  if (participant.isOver) return null;
  // Another join is fetching it.
  if (participant.socket === null && participant.storedAs !== participant.id) return 'apart';
  clearTimeout(participant.lostTimer);
  const before = participant.socket;
  participant.socket = socket;
  socket.data.participant = participant;
  own.socket = null;
  participant.session = withNames(own.session, participant, own.namesVersion);
  participant.namesVersion = Math.max(participant.namesVersion, own.namesVersion);
  socket.data.session = participant.session;
  if (before !== null) {
    // Messages that the old socket still sends belong to nobody.
    before.data.participant = newParticipant(participant.id, participant.session);
    before.data.isReplaced = true;
    before.disconnect(true);
  }
  return { participant, dissolved: own, wasLost: before === null };
}
