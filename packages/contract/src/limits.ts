/** Every limit that both sides must agree on. Units are in the names; the source follows each. */

/** Login length in characters (spec §5, §9). */
export const LOGIN_MIN_LENGTH = 2;
export const LOGIN_MAX_LENGTH = 50;
/** The lengths that the form hints at, without blocking (spec §5). */
export const PASSWORD_HINT_MIN_LENGTH = 2;
export const PASSWORD_HINT_MAX_LENGTH = 8;
/** What the server takes. `PASSWORD_MIN_LENGTH` may raise the lower bound. */
export const PASSWORD_MAX_LENGTH = 128;
export const NAME_MAX_LENGTH = 100;
export const PHONE_MAX_LENGTH = 40;
export const CHANNEL_NAME_MAX_LENGTH = 100;

/** A session without 'Remember me' ends this long after sign-in. */
export const SESSION_MS = 12 * 3_600_000;
/** A remembered session ends this long after its last use. */
export const REMEMBERED_SESSION_MS = 30 * 86_400_000;

/** A JSON body, in bytes, unless the call says otherwise: parsing a large one costs everybody's time. */
export const CALL_MAX_BYTES = 16_384;
/** The body of a call that takes lists. */
export const BODY_MAX_BYTES = 1_048_576;
/** One socket message, in bytes; a session description of thirteen media lines stays far below. */
export const SOCKET_MESSAGE_MAX_BYTES = 131_072;
/** A session description (RFC 8866), in characters. */
export const SDP_MAX_LENGTH = 65_536;
/** An ICE candidate line (RFC 8839 §5.1), in characters. */
export const CANDIDATE_MAX_LENGTH = 2_048;

/** The largest room that a mesh carries well (spec §9's grid; measured: the talker's uplink is peers × 32 kb/s). */
export const MESH_COMFORT_SIZE = 13;

/** Stop-talking timer: T2 of 3GPP TS 24.380 §11.1.3. */
export const TALK_MAX_MS = 30_000;
/** The talker is warned this long before the stop-talking timer ends. */
export const TALK_WARNING_MS = 5_000;
/** A floor or a place in its queue is kept this long after the last sign of life of who holds it. */
export const FLOOR_LEASE_MS = 2_400;
/** A client that presses says so this often: three signs may be lost before the lease ends. */
export const FLOOR_RENEW_MS = 600;
/** How often leases and stop-talking timers are looked at. Lease + tick stays under the promised 3 s. */
export const FLOOR_TICK_MS = 200;
export const FLOOR_QUEUE_MAX = 64;

/** Sockets that no process has vouched for in this time are ghosts. Looked at every 10 s, they are gone within 30 s. */
export const PRESENCE_TTL_MS = 20_000;
