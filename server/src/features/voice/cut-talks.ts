import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import { FLOOR_LEASE_MS } from '@pressel/contract/limits';
import type { Db, Tx } from '#src/db/connect.ts';
import { floors } from '#src/db/schema/floors.ts';
import type { LoggedAct, RecordActs } from '#src/history/change.ts';
import { readFloor } from './floor-rows.ts';
import { type Holder, isClaimed } from './floor-state.ts';

/** A talk that was under way when the last of all processes ended. */
export interface CutTalk {
  readonly id: ParticipantId;
  readonly channelId: ChannelId;
  /** When its page renewed it last, as far as any process heard. */
  readonly heardAt: Date;
  readonly durationMs: number;
}

export interface CutTalksDeps {
  db: Db;
  record: RecordActs;
  /**
   * Leaves a talk to the row of its participant: who comes back goes on with it, and otherwise it is logged (TALK162).
   * @returns false when there is no such row
   */
  keepTalk(tx: Tx, talk: CutTalk): Promise<boolean>;
  onUnreadable(channelId: ChannelId): void;
}

/**
 * Gives up the floors of earlier processes, of which none is left. Each talk under way is left to its participant's row, or logged. Both
 * happen in the transaction that deletes its floor, so that it happens once (PROC69).
 */
export const settleCutTalks = ({ db, record, keepTalk, onUnreadable }: CutTalksDeps): Promise<void> =>
  db.transaction(async (tx) => {
    const acts: LoggedAct[] = [];
    for (const row of await tx.delete(floors).returning({ id: floors.channelId, state: floors.state })) {
      const channelId = row.id as ChannelId;
      const floor = readFloor(row.state);
      if (floor === null) onUnreadable(channelId);
      for (const talker of floor?.talkers ?? []) {
        if (!isClaimed(talker)) continue;
        const { heardAt, durationMs } = cutOff(talker);
        if (await keepTalk(tx, { id: talker.id, channelId, heardAt, durationMs })) continue;
        const { author } = talker;
        const details = { durationMs, end: 'left' } as const;
        if (author !== null)
          acts.push({ type: 'channel_talk', user: author.user, channel: author.channel, details, at: heardAt });
      }
    }
    await record(tx, acts);
  });

const cutOff = ({ since, leaseUntil, talkUntil }: Holder): Pick<CutTalk, 'heardAt' | 'durationMs'> => {
  const heardAt = Math.max(since, Math.min(leaseUntil - FLOOR_LEASE_MS, talkUntil));
  return { heardAt: new Date(heardAt), durationMs: heardAt - since };
};
