import type { SessionUser } from '@pressel/contract/auth';
import { type UserId, userId } from '@pressel/contract/ids';
import { onDemand, z } from '@pressel/contract/zod';

/** Storage key of the session's token (spec §3). */
const TOKEN_KEY = 'TOKEN_KEY';
/** Storage key of the user to whom the token belongs. */
const TOKEN_USER = 'TOKEN_USER';
/** The user's fields that the specification keeps, and those of the room entered last (spec §3). */
const USER_FIELDS = ['id', 'email', 'firstName', 'lastName', 'display_name'] as const;
const ROOM_FIELDS = ['roomId', 'channelId', 'channelName', 'selectedChannel'] as const;

/**
 * Choices that outlive a session, and their owners. `browser`: for everybody who uses this browser. `user`: for each
 * user alone, under a key of their own [AUTH17]. The table in docs/rules/accounts.md gives the reasons.
 */
const PREFERENCES = {
  language: 'browser',
  colorScheme: 'browser',
  isNavUnfolded: 'browser',
  letterKeys: 'browser',
  usersPageSize: 'browser',
  channelsPageSize: 'browser',
  dashboardUsersPageSize: 'browser',
  dashboardChannelsPageSize: 'browser',
  logLayout: 'browser',
  roomFrame: 'browser',
  certificateNoted: 'browser',
  voice: 'browser',
  ownVoice: 'user',
  firstSteps: 'user',
  alerts: 'user',
} as const;
export type PreferenceName = keyof typeof PREFERENCES;

const userKey = (name: PreferenceName, owner: UserId) => `${name}.${owner}`;

/** Whether this entry of local storage survives the end of a session. */
export const outlivesSessions = (key: string): boolean =>
  Object.entries(PREFERENCES).some(([name, whose]) =>
    whose === 'browser' ? key === name : key.startsWith(`${name}.`),
  );

/** Fields of `voice` that versions up to 2.0.2 kept there for the next user. Nobody knows their owner. */
const UNOWNED_VOICE = ['volumes', 'hearsOwnDevices', 'isCameraOn'];

/** The room entered last, with the spec's field names. */
export interface LastRoom {
  channelId: string;
  channelName: string;
  /** The channel's rtcSession. */
  roomId: string;
}

/** The kinds that an import creates. */
export type ImportKind = 'users' | 'channels';
const importKey = (kind: ImportKind) => `import.${kind}`;
const draftKey = (channelId: string) => `draft.${channelId}`;
const talksKey = (channelId: string) => `talks.${channelId}`;
const backlogKey = (channelId: string) => `backlog.${channelId}`;
const UNSENT = 'unsent.';

const keptTalks = onDemand(() =>
  z.object({
    since: z.number(),
    heard: z.array(z.object({ userId: z.string(), from: z.number(), to: z.number() })),
  }),
);
/** The time when the tab first came into a channel, and who was audible there when; ms since 1970. */
type KeptTalks = Readonly<z.infer<ReturnType<typeof keptTalks>>>;

/** The methods of Storage that the app uses. */
export type StorageArea = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** A storage area whose values don't outlive the page. */
export function memoryArea(): StorageArea {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, text) => void values.set(key, text),
    removeItem: (key) => void values.delete(key),
    key: (index) => [...values.keys()][index] ?? null,
    get length() {
      return values.size;
    },
  };
}

export type AppStorage = ReturnType<typeof createStorage>;

const token = z.string().min(1).max(256);
const importId = onDemand(() => z.uuid());

/**
 * `renewedAt`: when the page last reloaded itself, ms. `renewedFor`: the server whose contract it reloaded for.
 * `return`: the room that it comes back to.
 */
export type ReloadNote = 'renewedAt' | 'renewedFor' | 'return';

/**
 * The only access to browser storage. Everything read is parsed. When a storage is full or forbidden, values are kept
 * in memory, so that the app works until the page is closed.
 *
 * Session storage has the session of this tab, and ends with it. Tabs of other users share local storage; their session
 * and choices stay unchanged [AUTH18].
 */
export function createStorage(areas: { local: StorageArea; session: StorageArea }) {
  const local = withMemoryFallback(areas.local);
  const session = withMemoryFallback(areas.session);
  /** The choices of somebody without an account, such as a guest, for this page alone. */
  const ofNobody = new Map<string, string>();
  let user: SessionUser | undefined;

  // The tab takes up the remembered session once. If somebody else is remembered later, this tab stays its user's.
  const remembered = local.get(TOKEN_KEY);
  if (session.get(TOKEN_KEY) === null && remembered !== null) {
    session.set(TOKEN_KEY, remembered);
    session.set(TOKEN_USER, local.get(TOKEN_USER) ?? '');
  }
  dropUnownedVoice(local);

  const readUserId = (): UserId | undefined => user?.id ?? userId.safeParse(session.get(TOKEN_USER)).data;

  /** Returns the key of a choice: undefined when it belongs to a user and nobody is signed in. */
  const keyOf = (name: PreferenceName): string | undefined => {
    if (PREFERENCES[name] === 'browser') return name;
    const owner = readUserId();
    return owner && userKey(name, owner);
  };

  return {
    /** The token of this tab's session; undefined if there is none. */
    readToken: (): string | undefined => token.safeParse(session.get(TOKEN_KEY)).data,
    /** The user of this tab's session, as far as this page or an earlier one knows. */
    readUserId,
    /** Takes the session of a call link. */
    keepToken(text: string): void {
      session.set(TOKEN_KEY, text);
    },
    /** Stores a session; with `remember` it survives closing the browser. */
    openSession(opened: SessionUser, authToken: string, remember: boolean): void {
      session.set(TOKEN_KEY, authToken);
      if (remember) {
        local.set(TOKEN_KEY, authToken);
        local.set(TOKEN_USER, opened.id);
      } else if ((local.get(TOKEN_USER) ?? opened.id) === opened.id) {
        local.remove(TOKEN_KEY);
        local.remove(TOKEN_USER);
      }
      this.keepUser(opened);
    },
    /** Stores the signed-in user, with the spec's field names. Removes the room entered last if it was another user's. */
    keepUser(kept: SessionUser): void {
      user = kept;
      ofNobody.clear();
      session.set(TOKEN_USER, kept.id);
      if (local.get(TOKEN_KEY) !== null && local.get(TOKEN_KEY) === session.get(TOKEN_KEY))
        local.set(TOKEN_USER, kept.id);
      if (local.get('id') !== kept.id) for (const field of ROOM_FIELDS) local.remove(field);
      local.set('id', kept.id);
      local.set('email', kept.identifier);
      local.set('firstName', kept.firstName);
      local.set('lastName', kept.lastName);
      local.set('display_name', kept.display_name);
    },
    /**
     * Clears session storage, and everything in local storage that doesn't outlive sessions (spec §4). The remembered
     * session of another user stays [AUTH18].
     */
    clearSession(): void {
      const others = local.get(TOKEN_USER);
      const isOthers = others !== null && others !== readUserId() && local.get(TOKEN_KEY) !== session.get(TOKEN_KEY);
      const stays: readonly string[] = !isOthers
        ? []
        : [TOKEN_KEY, TOKEN_USER, ...(local.get('id') === others ? [...USER_FIELDS, ...ROOM_FIELDS] : [])];
      user = undefined;
      ofNobody.clear();
      for (const key of session.keys()) session.remove(key);
      for (const key of local.keys()) if (!outlivesSessions(key) && !stays.includes(key)) local.remove(key);
    },
    /** Keeps the room entered last, with its user. */
    keepRoom(room: LastRoom): void {
      if (user !== undefined) this.keepUser(user);
      local.set('roomId', room.roomId);
      local.set('channelId', room.channelId);
      local.set('channelName', room.channelName);
      local.set('selectedChannel', room.channelId);
    },
    /** The channel name of the room that this user entered last, if it has this id. */
    readRoomName(roomId: string): string | undefined {
      const isOwn = (local.get('id') ?? undefined) === readUserId();
      return isOwn && local.get('roomId') === roomId ? (local.get('channelName') ?? undefined) : undefined;
    },
    /** Stores the id of an import that this tab started, until its end was shown. A reload can then resume it. */
    keepImport(kind: ImportKind, id: string): void {
      session.set(importKey(kind), id);
    },
    readImport(kind: ImportKind): string | undefined {
      return importId().safeParse(session.get(importKey(kind))).data;
    },
    forgetImport(kind: ImportKind): void {
      session.remove(importKey(kind));
    },
    /** Stores the message that is being written to a channel, for this tab; '' forgets it. */
    keepDraft(channelId: string, text: string): void {
      if (text === '') session.remove(draftKey(channelId));
      else session.set(draftKey(channelId), text);
    },
    /** Stores, for this tab, which unread messages of a channel the user has not gone back to; undefined: none. */
    keepBacklog(channelId: string, backlog: unknown): void {
      if (backlog === undefined) session.remove(backlogKey(channelId));
      else session.set(backlogKey(channelId), JSON.stringify(backlog));
    },
    readBacklog: (channelId: string): unknown => parseJson(session.get(backlogKey(channelId)) ?? ''),
    readDraft: (channelId: string): string => session.get(draftKey(channelId)) ?? '',
    /** Stores, for this tab, which talks of a channel were heard [TALK131]. */
    keepTalks(channelId: string, kept: { since: number; heard: readonly KeptTalks['heard'][number][] }): void {
      session.set(talksKey(channelId), JSON.stringify(kept));
    },
    readTalks: (channelId: string): KeptTalks | undefined =>
      keptTalks().safeParse(parseJson(session.get(talksKey(channelId)) ?? '')).data,
    /**
     * Stores for this tab, at once, what the device's store doesn't have of a message yet; null: it is to be removed.
     * Left out if there is no room.
     */
    keepUnsent(clientId: string, message: unknown): void {
      session.set(`${UNSENT}${clientId}`, JSON.stringify(message));
    },
    forgetUnsent: (clientId: string): void => session.remove(`${UNSENT}${clientId}`),
    /** The unsent messages by clientId. */
    readUnsent: (): [string, unknown][] =>
      session
        .keys()
        .filter((key) => key.startsWith(UNSENT))
        .map((key) => [key.slice(UNSENT.length), parseJson(session.get(key) ?? '')]),
    /** Keeps a note for the next load of this tab. @returns false when it would not outlive the reload */
    keepForReload: (name: ReloadNote, text: string): boolean => session.set(name, text),
    readForReload: (name: ReloadNote): string | null => session.get(name),
    forgetForReload: (name: ReloadNote): void => session.remove(name),
    readPreference<T>(name: PreferenceName, schema: z.ZodType<T>): T | undefined {
      const key = keyOf(name);
      const text = key === undefined ? (ofNobody.get(name) ?? null) : local.get(key);
      return text === null ? undefined : schema.safeParse(parseJson(text)).data;
    },
    writePreference(name: PreferenceName, value: unknown): void {
      const key = keyOf(name);
      if (key === undefined) ofNobody.set(name, JSON.stringify(value));
      else local.set(key, JSON.stringify(value));
    },
  };
}

type FallbackArea = ReturnType<typeof withMemoryFallback>;

function dropUnownedVoice(local: FallbackArea): void {
  const old = z.record(z.string(), z.unknown()).safeParse(parseJson(local.get('voice') ?? ''));
  if (!old.success || !UNOWNED_VOICE.some((field) => field in old.data)) return;
  const kept = Object.entries(old.data).filter(([field]) => !UNOWNED_VOICE.includes(field));
  local.set('voice', JSON.stringify(Object.fromEntries(kept)));
}

/** Falls back to memory when storage throws (private windows, full disks). Values in memory don't outlive the page. */
function withMemoryFallback(area: StorageArea) {
  const memory = new Map<string, string>();
  const attempt = <T>(act: () => T, otherwise: () => T): T => {
    try {
      return act();
    } catch {
      return otherwise();
    }
  };
  const keysOfArea = () => Array.from({ length: area.length }, (_, index) => area.key(index) ?? '');
  return {
    get: (name: string): string | null =>
      memory.get(name) ??
      attempt(
        () => area.getItem(name),
        () => null,
      ),
    /** @returns false when it is in memory only */
    set(name: string, text: string): boolean {
      memory.delete(name);
      return attempt(
        () => {
          area.setItem(name, text);
          return true;
        },
        () => {
          memory.set(name, text);
          return false;
        },
      );
    },
    remove(name: string): void {
      memory.delete(name);
      attempt(
        () => area.removeItem(name),
        () => {},
      );
    },
    keys: (): string[] => [...memory.keys(), ...attempt(keysOfArea, () => [])],
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
