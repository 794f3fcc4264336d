/** Every limit that both sides must agree on. Units are in the names; the source follows each. */

/** Login length in characters (spec §5, §9). */
export const LOGIN_MIN_LENGTH = 2;
export const LOGIN_MAX_LENGTH = 50;
/** The lengths that the form hints at, without blocking (spec §5). */
export const PASSWORD_HINT_MIN_LENGTH = 2;
export const PASSWORD_HINT_MAX_LENGTH = 8;
/** The upper bound that the server enforces; the environment's `PASSWORD_MIN_LENGTH` sets the lower one. */
export const PASSWORD_MAX_LENGTH = 128;
export const NAME_MAX_LENGTH = 100;
export const PHONE_MAX_LENGTH = 40;
export const CHANNEL_NAME_MAX_LENGTH = 100;

/** Length of the names of guest links and of guests, in characters. */
export const GUEST_LINK_NAME_MAX_LENGTH = 80;
export const GUEST_NAME_MAX_LENGTH = 60;
/** How long a guest link may be good for. */
export const GUEST_LINK_HOURS = [1, 8, 24, 168, 720] as const;
/** Guests who may be in the room by one link at a time. */
export const GUESTS_PER_LINK = 10;
/** Open guest links of one channel. */
export const GUEST_LINKS_MAX = 50;
/** A guest who has had no socket for this long counts as gone, and makes room for another (GUEST9). */
export const GUEST_AWAY_MS = 120_000;

/** The code that the first account must give (AUTH10), in characters. */
export const SETUP_CODE_MIN_LENGTH = 8;
export const SETUP_CODE_MAX_LENGTH = 200;

/** A session without 'Remember me' ends this long after sign-in. */
export const SESSION_MS = 12 * 3_600_000;
/** A remembered session ends this long after its last use. */
export const REMEMBERED_SESSION_MS = 30 * 86_400_000;
/** A remembered session ends at the latest this long after sign-in, even if used (AUTH5). */
export const REMEMBERED_SESSION_MAX_MS = 90 * 86_400_000;

/** How long a verified password (verifyPassword) allows the acts that ask for it again (AUTH1). */
export const PROOF_MS = 5 * 60_000;

/** Default maximum of a JSON body, in bytes. Small, because parsing blocks the event loop for all clients. */
export const CALL_MAX_BYTES = 16_384;
/** Body of a registration, a public call, in bytes: fits the thousand channels that an administrator may select. */
export const SIGN_UP_MAX_BYTES = 65_536;
/** Body of a call that takes lists, in bytes. */
export const BODY_MAX_BYTES = 1_048_576;
/** Points that the calls of one session may cost at once, and a second in the long run. */
export const SESSION_POINTS = 400;
export const SESSION_POINTS_PER_SECOND = 40;
/** An answer costs one more point for each of these bytes. */
export const POINT_BYTES = 65_536;
/** One socket message, in bytes. */
export const SOCKET_MESSAGE_MAX_BYTES = 131_072;
/**
 * A session description (RFC 8866), in characters: three times what a browser says of voice and a picture. The page that reads
 * a longer one may stand still for most of a second (LINK11).
 */
export const SDP_MAX_LENGTH = 16_384;
/** An ICE candidate line (RFC 8839 §5.1), in characters. */
export const CANDIDATE_MAX_LENGTH = 2_048;
/**
 * Candidates of one gathering. Ten network addresses have a host, a TCP, a reflexive and three relayed candidates each. The voice and the
 * news have a transport each at first, so they gather twice. A phone has four addresses.
 */
export const GATHERING_MAX_CANDIDATES = 120;

/** The largest room that a mesh carries well (spec §9's grid; measured: the talker's uplink is peers × 32 kb/s). */
export const MESH_COMFORT_SIZE = 13;

/** Stop-talking timer: T2 of 3GPP TS 24.380 §11.1.3. */
export const TALK_MAX_MS = 30_000;
/** The talker is warned this long before the stop-talking timer ends. */
export const TALK_WARNING_MS = 5_000;
/** Lease: the floor, or a place in its queue, is kept this long after the holder's last renewal. */
export const FLOOR_LEASE_MS = 2_400;
/** Interval of a client's renewals while it presses: three may be lost before the lease ends. */
export const FLOOR_RENEW_MS = 600;
/**
 * A page that is too busy to renew, but whose browser answers the server's pings, keeps its claim up to this long after its
 * last renewal.
 */
export const FLOOR_BUSY_MS = 6_000;
/**
 * How long a talker of before a restart has to come back once anybody brought the floor. A page's first attempt may stand for 2 s in vain,
 * and the second for 4 s (TALK74).
 */
export const FLOOR_RETURN_MS = 8_000;
/** How often leases and stop-talking timers are checked. Lease + tick stays under the promised 3 s. */
export const FLOOR_TICK_MS = 200;
export const FLOOR_QUEUE_MAX = 64;

/** Interval of a client's heartbeat while it is in a room. */
export const BEAT_MS = 1_000;
/** After this long without an answer to a heartbeat, the client says that the link stands still: well within 3 s. */
export const BEAT_SILENCE_MS = 2_400;
/** Past talks of a channel that the server can still name to those who missed them. */
export const PAST_TALKS_MAX = 100;
/** The last talks that a room lists. */
export const LAST_TALKS = 10;
/** A participant whose socket was lost keeps its rooms this long, so that it can resume (PRES30). */
export const RESUME_MS = 20_000;
/** A token to resume with, in characters: an id, its process and 256 bits. */
export const RESUME_TOKEN_MAX_LENGTH = 160;
/** Rooms that one participant may be in at a time (PRES28). */
export const ROOMS_MAX = 20;
/** A proof of having been in a room, in characters: a version and 128 bits. */
export const ROOM_PROOF_MAX_LENGTH = 64;
/** A signature of 512 bits, in characters of base64url. */
export const SIGNATURE_MAX_LENGTH = 86;

/** Sockets that no server process has confirmed for this long are stale. Checked every 10 s: gone within 30 s. */
export const PRESENCE_TTL_MS = 20_000;

/** Maximum rows of one page of a list. */
export const LIST_MAX_LIMIT = 1_000;
export const FILTER_MAX_LENGTH = 200;
/** Members of a channel that a client asks for, or that news name, one by one. Beyond it, a part of the list costs no more. */
export const MEMBERS_NAMED_MAX = 50;

/** Entries of `userActivities` of users and channels in lists: only the newest. */
export const LATEST_ACTIVITIES_MAX = 1;

/** Rows that a list puts before the others: as many ids as fit into the body of a call. */
export const LIST_FIRST_MAX = 300;
/** Page sizes that a table offers. The first is the default (spec §9). */
export const PAGE_SIZES = [5, 10, 25, 50, 100] as const;
/** Page sizes of the channel picker, while adding a user and while editing one (spec §9). */
export const PICK_SIZES = [5, 10, 20] as const;
export const EDIT_PICK_SIZES = [5, 10, 25] as const;

/** Rows of one import. Hashing as many passwords takes minutes; longer lists are split into several files. */
export const IMPORT_MAX_ROWS = 10_000;
/** Memberships of one import, over all rows: they are stored in one transaction, which delays other changes. */
export const IMPORT_MAX_MEMBERSHIPS = 200_000;
/** A file to import, in bytes: ten thousand full rows of a spreadsheet stay below a fifth of it. */
export const IMPORT_FILE_MAX_BYTES = 10_485_760;
/** The body of an import: ten thousand rows of the longest cells that occur, in JSON. */
export const IMPORT_BODY_MAX_BYTES = 16_777_216;
/** Channels of one user, and users of one channel. */
export const MEMBERSHIPS_MAX = 10_000;
/** Users of one bulk change; longer lists are sent in parts, so that progress is shown and cancelling works. */
export const BULK_MAX = 100;
/** Accepted image types, detected by content, not by name (spec §5). */
export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/bmp', 'image/gif', 'image/webp'] as const;
/** Maximum size of an uploaded image (spec §5). */
export const IMAGE_MAX_BYTES = 1_048_576;
/** Pixels of an image, above the default of phone cameras. Checked before decoding: a file of a few kilobytes can claim billions. */
export const IMAGE_MAX_PIXELS = 25_000_000;
/** Width and height of a user's photo. The browser crops and shrinks the chosen image. */
export const PHOTO_SIZE_PX = 256;
/** Maximum size of a photo as sent by our browser client, in bytes. */
export const PHOTO_SENT_MAX_BYTES = 131_072;

/** Text of a chat message, in characters. */
export const MESSAGE_MAX_LENGTH = 4_000;
/** Messages of one page: by default, and at most. */
export const MESSAGES_PAGE = 50;
export const MESSAGES_MAX_LIMIT = 200;
/** Name of an uploaded file, in characters. */
export const FILE_NAME_MAX_LENGTH = 200;
/** Body of an upload: the image, its text and the frame of multipart/form-data (RFC 7578). */
export const IMAGE_BODY_MAX_BYTES = IMAGE_MAX_BYTES + 65_536;
/** An image before our browser client shrinks it (spec §8 names it in its message). */
export const IMAGE_PICKED_MAX_BYTES = 10_485_760;
/** Longest side of an image in the chat as it is stored, in pixels: larger ones are shrunk. */
export const MESSAGE_IMAGE_MAX_PX = 4_096;
/** Longest side of a thumbnail in the chat, in pixels. */
export const THUMBNAIL_SIZE_PX = 480;
/** The typing indicator is shown for this long (spec §4). */
export const TYPING_MS = 3_000;
/** A socket's typing is passed on to the room this often at most. */
export const TYPING_EVERY_MS = 1_000;
/** Unread messages are counted up to this. */
export const UNREAD_MAX = 1_000;

/** Positions that one user may send, and the seconds within which, over all their devices. */
export const POSITION_BURST = 10;
export const POSITION_WINDOW_SECONDS = 10;
/** In this time, the activity log gets one position_update per user, and one position_get per pair. */
export const POSITION_ENTRY_MS = 10 * 60_000;
/** How far back a trail goes. */
export const TRAIL_MS = 3_600_000;
/** Points of a trail: as many as a screen can tell apart. */
export const TRAIL_MAX_POINTS = 500;
/** A position that is older than this is not taken: no device kept it that long. */
export const POSITION_AGE_MAX_MS = 31_536_000_000;
/** A position that is older than this is shown as stale. */
export const POSITION_STALE_MS = 10 * 60_000;

/** Entries of the activity log: on its page, and in one call at most. */
export const ACTIVITIES_PAGE = 21;
export const ACTIVITIES_MAX_LIMIT = 200;
/** The newest entries on the dashboard, and its most active channels (spec §9). */
export const ACTIVITIES_LAST = 8;
export const DASHBOARD_CHANNELS = 5;
/** Days of a trend (spec §9). */
export const TREND_DAYS = 10;

/** A one-to-one call rings for this long at most. */
export const CALL_RING_MS = 30_000;
/** One-to-one calls that one user may start in five minutes. */
export const CALLS_PER_WINDOW = 60;
/** How many of these calls may go to the same user, until that user takes one. */
export const CALLS_TO_ONE = 6;
/** Calls on one page of the list of all calls. */
export const CALLS_PAGE = 20;
/** Missed calls that are listed; further ones are only counted. */
export const MISSED_CALLS_LISTED = 20;
/** Events of calls in one answer. */
export const CALL_EVENTS_MAX = 1_000;
