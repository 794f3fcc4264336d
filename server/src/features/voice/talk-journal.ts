import type { ChannelId, ParticipantId, UserId } from '@pressel/contract/ids';
import { PAST_TALKS_MAX } from '@pressel/contract/limits';
import type { PastTalk } from '@pressel/contract/voice';

interface Entry {
  readonly id: ParticipantId;
  readonly userId: UserId;
  readonly name: string;
  /** The floor's version that named them first. */
  readonly version: number;
  readonly beganAt: number;
  endedAt: number | null;
}

interface Page {
  readonly entries: Entry[];
  /** Version of the newest talk that was dropped; 0 without one. */
  droppedVersion: number;
}

/** The latest talks of each channel, in memory, for those who missed some of them (TALK105). Times are ms of one clock. */
export interface TalkJournal {
  began(channelId: ChannelId, talker: Pick<Entry, 'id' | 'userId' | 'name'>, version: number, now: number): void;
  ended(channelId: ChannelId, id: ParticipantId, now: number): void;
  /** The talks of other users that began after a version and are over, oldest first. Null: some are not known any more. */
  since(channelId: ChannelId, userId: UserId, version: number, now: number): PastTalk[] | null;
  forget(channelId: ChannelId): void;
}

export function createTalkJournal(): TalkJournal {
  const pages = new Map<ChannelId, Page>();

  return {
    began(channelId, { id, userId, name }, version, now) {
      const page = pages.get(channelId) ?? { entries: [], droppedVersion: 0 };
      pages.set(channelId, page);
      page.entries.push({ id, userId, name, version, beganAt: now, endedAt: null });
      if (page.entries.length > PAST_TALKS_MAX) page.droppedVersion = page.entries.shift()?.version ?? 0;
    },
    ended(channelId, id, now) {
      const entry = pages.get(channelId)?.entries.findLast((one) => one.id === id);
      if (entry !== undefined) entry.endedAt ??= now;
    },
    since(channelId, userId, version, now) {
      const page = pages.get(channelId);
      if (page === undefined) return [];
      if (version < page.droppedVersion) return null;
      return page.entries.flatMap(({ id, name, ...entry }) =>
        entry.version <= version || entry.userId === userId || entry.endedAt === null
          ? []
          : [{ id, name, beganMsAgo: now - entry.beganAt, endedMsAgo: now - entry.endedAt }],
      );
    },
    forget: (channelId) => void pages.delete(channelId),
  };
}
