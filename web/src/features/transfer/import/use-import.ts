import { getImport } from '@pressel/contract/transfer';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Api } from '#src/shared/api/api.ts';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { CHANNELS_KEY, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { randomId } from '#src/shared/random-id.ts';
import { useApi, useRealtime, useStorage, useUser } from '#src/shared/services.tsx';
import { type ColumnMapping, isUnclear, matchColumns, missingFields, otherKindOf, rowsOf } from '../sheet/columns.ts';
import type { ImportKind, ImportRow, JudgedRow } from '../sheet/import-kinds.ts';
import type { NamedSheet, ReadOptions, SheetFault } from '../sheet/sheet.ts';
import { browserSheetReader, type SheetReader } from '../sheet/sheet-reader.ts';
import { forgetDraft, type ImportDraft, keepDraft, openDraft, readDraft } from './import-drafts.ts';
import { type ImportRun, isSentAgain, type RunEnd, resumeImport, rowsToSend, startImport } from './import-run.ts';
import { type Reviewed, readAgain, rowsAfter, type Source, sourceOf, withSheet } from './import-source.ts';

export type Step =
  | { step: 'choose'; fault?: SheetFault }
  /** The file looks like one for the other import. */
  | { step: 'other'; source: Source }
  /** `edited`: the rows as edited before going back to the columns. */
  | { step: 'columns'; source: Source; edited?: readonly ImportRow[] }
  /** `version` changes when the rows are read anew. `isLost`: they were sent, and the server doesn't know of it. */
  | { step: 'review'; source: Source; rows: readonly ImportRow[]; version: string; isLost?: boolean }
  /** Looking up an import that was started before a reload. */
  | { step: 'finding' }
  /** `reviewed` is undefined when this device doesn't have what was sent. `isResumed`: another page sent it. */
  | { step: 'running'; importId: string; isResumed: boolean; reviewed: Reviewed | undefined; run: ImportRun }
  | { step: 'ended'; importId: string; reviewed: Reviewed | undefined; end: RunEnd };

/** The steps of an import, from the file to its end, and what leads from one to the next. */
export function useImport(kind: ImportKind) {
  const api = useApi();
  const realtime = useRealtime();
  const storage = useStorage();
  const queries = useQueryClient();
  const { id: userId } = useUser();
  const [read] = useState(browserSheetReader);
  const rereading = useRef<AbortController>(undefined);
  const [draft, setDraft] = useState<ImportDraft>();
  const [replacing, setReplacing] = useState<{ draft: ImportDraft; go: () => void }>();
  const [step, setStep] = useState<Step>(() => ({
    step: storage.readImport(kind) === undefined ? 'choose' : 'finding',
  }));
  /** The import that the server has no record of. */
  const [lost, setLost] = useState<string>();

  const run = step.step === 'running' ? step.run : undefined;
  useEffect(() => () => run?.close(), [run]);
  const follow = useCallback(
    (importId: string) => {
      storage.keepImport(kind, importId);
      const resumed = resumeImport({ api, realtime, importId });
      setStep({ step: 'running', importId, isResumed: true, reviewed: undefined, run: resumed });
      void sentDraft(userId, kind, importId, read).then((reviewed) =>
        setStep((known) => ('importId' in known && known.importId === importId ? { ...known, reviewed } : known)),
      );
      return resumed.close;
    },
    [api, realtime, storage, kind, userId, read],
  );
  useEffect(() => {
    const importId = storage.readImport(kind);
    return importId === undefined ? undefined : follow(importId);
  }, [storage, kind, follow]);
  // Runs each time that a file is asked for, because this tab or another may have left a draft behind.
  const isChoosing = step.step === 'choose';
  useEffect(() => {
    if (!isChoosing) return;
    let isOver = false;
    const look = async (): Promise<void> => {
      const found = await readDraft(userId, kind);
      const importId = found?.sent?.importId;
      const state = importId === undefined || importId === lost ? undefined : await stateOf(api, importId);
      if (isOver) return;
      // The import was stored, and the page that sent it never knew. A running one is followed already (IMP32).
      if (importId !== undefined && (state === 'users' || state === 'channels')) follow(importId);
      else if (state !== 'running') setDraft(found);
      if (state === 'unknown') setLost(importId);
    };
    void look();
    return () => {
      isOver = true;
    };
  }, [isChoosing, userId, kind, api, follow, lost]);
  // Only now: until then the server may lose the import, or this page its link to the server (IMP28).
  const stored = step.step === 'ended' && step.end.end === 'stored' ? step : undefined;
  useEffect(() => {
    if (stored === undefined) return;
    const { importId, reviewed } = stored;
    void forgetDraft(userId, kind, ({ id, sent }) => sent?.importId === importId || id === reviewed?.id);
  }, [stored, userId, kind]);
  // Forget the import only when its result page is left, so that a reload shows it again.
  const isEnded = step.step === 'ended';
  useEffect(() => {
    if (isEnded) return () => storage.forgetImport(kind);
  }, [isEnded, storage, kind]);
  const end = useCallback(
    (how: RunEnd) => {
      if (how.end === 'unknown') {
        setLost(storage.readImport(kind));
        storage.forgetImport(kind);
        setStep({ step: 'choose' });
        return;
      }
      setStep((known) => {
        if (known.step !== 'running') return known;
        const { importId, reviewed } = known;
        return { step: 'ended', importId, reviewed, end: how };
      });
      // The user's own new rows are no news (LIST1), so a list is read anew instead of being shown as before.
      for (const queryKey of [USERS_KEY, CHANNELS_KEY]) queries.removeQueries({ queryKey, type: 'inactive' });
      void queries.invalidateQueries();
    },
    [queries, storage, kind],
  );

  const stopRereading = useCallback(() => rereading.current?.abort(), []);
  const discard = (id: string) => {
    setDraft(undefined);
    void forgetDraft(userId, kind, (known) => known.id === id);
  };
  const rowsStep = (source: Source, rows: readonly ImportRow[]): Step =>
    rows.length === 0
      ? { step: 'choose', fault: 'only_example' }
      : { step: 'review', source, rows, version: randomId() };
  const showRows = (source: Source, rows: readonly ImportRow[]) => setStep(rowsStep(source, rows));
  const firstStep = (source: Source): Step => {
    const { sheet } = source.chosen;
    if (source.settled.kind !== true && otherKindOf(kind, sheet) !== undefined) return { step: 'other', source };
    if (isUnclear(kind, sheet, source.mapping)) return { step: 'columns', source };
    return rowsStep(source, rowsOf(sheet, source.mapping));
  };
  const isLost = ({ sent }: ImportDraft) => sent !== null && sent.importId === lost;
  /** Continues after an operation that took a while, only if nothing else was begun meanwhile. */
  const goOn = (from: Step['step'], next: Step) => setStep((known) => (known.step === from ? next : known));
  const resume = async (resumed: ImportDraft): Promise<void> => {
    const opened = await openDraft(kind, resumed, read);
    if (!opened.ok) {
      // The draft stays: perhaps its file can be read the next time.
      goOn('choose', { step: 'choose', fault: opened.fault });
      return;
    }
    const { source, rows } = opened;
    const next = rows === null ? firstStep(source) : rowsStep(source, rows);
    goOn('choose', next.step === 'review' && isLost(resumed) ? { ...next, isLost: true } : next);
  };
  /** Goes on at once, or asks first when the draft of another file would be replaced. */
  const claim = async (source: Source, of: ImportKind, go: () => void): Promise<void> => {
    const stored = await readDraft(userId, of);
    if (stored === undefined || stored.id === source.id) go();
    else setReplacing({ draft: stored, go });
  };
  const begin = (from: 'choose' | 'other', source: Source): void => {
    const next = firstStep(source);
    if (next.step === 'other' || next.step === 'choose') goOn(from, next);
    else void claim(source, kind, () => goOn(from, next));
  };

  return {
    step,
    read,
    end,
    draft: draft && { ...draft, isLost: isLost(draft) },
    discard,
    replacing,
    /** Takes the user's answer about replacing a draft. */
    replace(isMeant: boolean) {
      setReplacing(undefined);
      if (isMeant) replacing?.go();
    },
    follow,
    /** @returns false when the device can't keep it */
    keep: (source: Source, rows: readonly ImportRow[] | null) => keepDraft(userId, kind, source, rows),
    /** Takes up what was prepared before. */
    resume,
    /** Hands the file over to the other import, which takes it up when its page is there. */
    handOver(source: Source, other: ImportKind, onKept: () => void) {
      const mapped = { ...source, mapping: matchColumns(other, source.chosen.sheet.headers), settled: {} };
      return claim(source, other, async () => {
        await keepDraft(userId, other, mapped, null, true);
        discard(source.id);
        setStep({ step: 'choose' });
        onKept();
      });
    },
    settleKind: (source: Source) => begin('other', { ...source, settled: { ...source.settled, kind: true } }),
    take(file: File, options: ReadOptions, sheets: readonly NamedSheet[]) {
      const source = sourceOf(kind, { id: randomId(), file, fileName: file.name, options, sheets });
      if (source !== undefined) begin('choose', source);
    },
    chooseSheet: (source: Source, name: string) => setStep(firstStep(withSheet(kind, source, name))),
    /** Assigns columns, keeping what was edited. */
    remap(source: Source, edited: readonly ImportRow[] | undefined, mapping: ColumnMapping) {
      const next = { ...source, mapping };
      showRows(next, edited === undefined ? rowsOf(next.chosen.sheet, mapping) : rowsAfter(source, edited, next));
    },
    /**
     * Reads the file in another way, keeping edits. `isReview`: goes on with its rows, if possible. Each step calls
     * `stopRereading` when the user changes anything: changes made meanwhile win over the reading (IMP34).
     */
    async reread(source: Source, edited: readonly ImportRow[] | undefined, options: ReadOptions, isReview: boolean) {
      stopRereading();
      const stopping = new AbortController();
      const { signal } = stopping;
      rereading.current = stopping;
      const reading = await read(source.file, options, signal);
      const next = reading.ok ? readAgain(kind, source, options, reading.sheets) : undefined;
      if (next === undefined || signal.aborted) return;
      const rows = edited && rowsAfter(source, edited, next);
      if (isReview && missingFields(kind, next.mapping).length === 0)
        showRows(next, rows ?? rowsOf(next.chosen.sheet, next.mapping));
      else setStep({ step: 'columns', source: next, ...(rows === undefined ? {} : { edited: rows }) });
    },
    stopRereading,
    settle(question: keyof Source['settled']) {
      setStep((known) => {
        if (known.step !== 'review') return known;
        const { source } = known;
        return { ...known, source: { ...source, settled: { ...source.settled, [question]: true } } };
      });
    },
    toColumns: (source: Source, edited: readonly ImportRow[]) => setStep({ step: 'columns', source, edited }),
    toRows: (reviewed: Reviewed) => showRows(reviewed, reviewed.rows),
    startOver(source?: Source) {
      if (source) discard(source.id);
      setStep({ step: 'choose' });
    },
    send(source: Source, rows: readonly ImportRow[], judged: readonly JudgedRow[], withAdmins: boolean) {
      const isAgain = isSentAgain(source.sent, rows, judged) && source.sent?.withAdmins === withAdmins;
      const importId = (isAgain && source.sent?.importId) || randomId();
      const reviewed: Reviewed = { ...source, rows, judged, sent: { importId, rows, judged, withAdmins } };
      storage.keepImport(kind, importId);
      setDraft(undefined);
      void keepDraft(userId, kind, reviewed, rows);
      const sent = startImport({ api, realtime, kind, rows: rowsToSend(rows, judged), withAdmins, importId });
      setStep({ step: 'running', importId, isResumed: false, reviewed, run: sent });
    },
  };
}

/** Returns what was sent as this import, if this device still has it. */
async function sentDraft(
  userId: string,
  kind: ImportKind,
  importId: string,
  read: SheetReader,
): Promise<Reviewed | undefined> {
  const draft = await readDraft(userId, kind);
  if (draft?.sent?.importId !== importId) return undefined;
  const opened = await openDraft(kind, draft, read);
  const sent = opened.ok ? opened.source.sent : undefined;
  return opened.ok && sent ? { ...opened.source, rows: sent.rows, judged: sent.judged } : undefined;
}

/** Returns the state of an import; `unknown`: the server has no record of it. Undefined when the server can't be asked. */
async function stateOf(api: Pick<Api, 'call'>, importId: string) {
  try {
    return (await api.call(getImport, { importId })).res.state;
  } catch (error) {
    return errorCodeOf(error) === 'not_found' ? ('unknown' as const) : undefined;
  }
}

export type Import = ReturnType<typeof useImport>;
