import { createChannelJudge, type JudgedChannelRow } from '@pressel/contract/import-rules';
import type { ChannelImportOutcome, ChannelRow } from '@pressel/contract/transfer';
import type { Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import type { Change } from '#src/history/change.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createYielder } from '#src/shared/in-pieces.ts';
import type { ImportRun } from './import-runs.ts';
import { countsOf, faultShown, nameShown } from './outcome-texts.ts';
import * as repository from './transfer.repository.ts';

/** Activities per INSERT statement. */
const RECORDED_AT_ONCE = 250;

export interface ChannelImportDeps {
  db: Db;
  change: Change;
}

/** Judges the rows and stores the good ones with their activities, in one transaction. */
export async function importChannels(
  deps: ChannelImportDeps,
  run: ImportRun,
  session: Session,
  rows: readonly ChannelRow[],
): Promise<ChannelImportOutcome> {
  const judged = await judge(deps.db, run, rows);
  const good = judged.flatMap(({ verdict }) =>
    verdict.state === 'good' ? [{ id: uuidV7(), name: verdict.channel.name, rtcSession: verdict.channel.key }] : [],
  );
  run.progress(0, good.length);
  await run.beginStoring();
  const outcome = await deps.change(session, async (tx, act) => {
    const ids = await repository.insertChannels(tx, good);
    const created = good.filter(({ id }) => ids.has(id));
    const yieldToEventLoop = createYielder();
    for (let start = 0; start < created.length; start += RECORDED_AT_ONCE) {
      const some = created.slice(start, start + RECORDED_AT_ONCE);
      await act.record(
        ...some.map((channel) => ({ type: 'channel_creation' as const, channel, details: { imported: true } })),
      );
      await yieldToEventLoop();
    }
    if (created.length > 0) act.after('channelsImported', {});
    const result = outcomeOf(judged, good, ids);
    await act.record({ type: 'channel_import', details: countsOf(result) });
    await run.store(tx, { state: 'channels', outcome: result });
    return result;
  });
  run.progress(good.length, good.length);
  return outcome;
}

async function judge(db: Db, run: ImportRun, rows: readonly ChannelRow[]): Promise<JudgedChannelRow[]> {
  const judgeRow = createChannelJudge({ channelKeys: await repository.listChannelKeys(db) });
  const judged: JudgedChannelRow[] = [];
  const yieldToEventLoop = createYielder();
  for (const [index, row] of rows.entries()) {
    judged.push(judgeRow(row, index));
    await yieldToEventLoop();
    run.signal.throwIfAborted();
  }
  return judged;
}

/** Groups rows by outcome, in the order of the sheet. A good row that wasn't inserted was created concurrently. */
function outcomeOf(
  judged: readonly JudgedChannelRow[],
  good: readonly { id: string }[],
  added: ReadonlySet<string>,
): ChannelImportOutcome {
  const outcome: ChannelImportOutcome = { created: [], existing: [], rejected: [], repeated: [] };
  const channels = good.values();
  for (const { row, cells, verdict } of judged) {
    const name = nameShown(cells.name);
    if (verdict.state === 'rejected') outcome.rejected.push({ row, name, faults: verdict.faults.map(faultShown) });
    else if (verdict.state !== 'good') outcome[verdict.state].push({ row, name });
    else {
      const id = channels.next().value?.id ?? '';
      if (added.has(id)) outcome.created.push({ row, id: id as ChannelImportOutcome['created'][number]['id'], name });
      else outcome.existing.push({ row, name });
    }
  }
  return outcome;
}
