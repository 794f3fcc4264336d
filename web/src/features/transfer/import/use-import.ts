import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { CHANNELS_KEY, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { randomId } from '#src/shared/random-id.ts';
import { useApi, useRealtime, useStorage, useUser } from '#src/shared/services.tsx';
import type { ImportKind, ImportRow, JudgedRow } from '../import-kinds.ts';
import { type ColumnMapping, isUnclear, matchColumns, missingFields, rowsOf } from '../sheet/columns.ts';
import { otherKindOf } from '../sheet/likely-kind.ts';
import type { ReadOptions } from '../sheet/read-options.ts';
import type { NamedSheet, SheetFault } from '../sheet/sheet.ts';
import { browserSheetReader } from '../sheet/sheet-reader.ts';
import { forgetDraft, type ImportDraft, keepDraft, readDraft, rowsOfDraft } from './import-drafts.ts';
import { type ImportRun, type RunEnd, resumeImport, startImport } from './import-run.ts';
import { type Reviewed, readAgain, rowsAfter, type Source, sourceOf, withSheet } from './import-source.ts';
import { rowsToSend } from './result.ts';

export type Step =
  | { step: 'choose'; fault?: SheetFault }
  /** The file looks like one for the other import. */
  | { step: 'other'; source: Source }
  /** `edited`: the rows as edited before going back to the columns. */
  | { step: 'columns'; source: Source; edited?: readonly ImportRow[] }
  /** `version` changes when the rows are read anew. */
  | { step: 'review'; source: Source; rows: readonly ImportRow[]; version: string }
  /** Looking up an import that was started before a reload. */
  | { step: 'finding' }
  /** `reviewed` is undefined for an import that was started before a reload. */
  | { step: 'running'; reviewed: Reviewed | undefined; run: ImportRun }
  | { step: 'ended'; reviewed: Reviewed | undefined; end: RunEnd };

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

  const run = step.step === 'running' ? step.run : undefined;
  useEffect(() => () => run?.close(), [run]);
  useEffect(() => {
    const importId = storage.readImport(kind);
    if (importId === undefined) return;
    const resumed = resumeImport({ api, realtime, importId });
    setStep({ step: 'running', reviewed: undefined, run: resumed });
    return resumed.close;
  }, [api, realtime, storage, kind]);
  const follow = useCallback(
    (importId: string) => {
      storage.keepImport(kind, importId);
      setStep({ step: 'running', reviewed: undefined, run: resumeImport({ api, realtime, importId }) });
    },
    [api, realtime, storage, kind],
  );
  // Each time that a file is asked for: this tab or another may have left one behind.
  const isChoosing = step.step === 'choose';
  useEffect(() => {
    if (!isChoosing) return;
    let isOver = false;
    void readDraft(userId, kind).then((found) => {
      if (!isOver) setDraft(found);
    });
    return () => {
      isOver = true;
    };
  }, [isChoosing, userId, kind]);
  // Forget the import only when its result page is left, so that a reload shows it again.
  const isEnded = step.step === 'ended';
  useEffect(() => {
    if (isEnded) return () => storage.forgetImport(kind);
  }, [isEnded, storage, kind]);
  const end = useCallback(
    (how: RunEnd) => {
      if (how.end === 'unknown') {
        storage.forgetImport(kind);
        setStep({ step: 'choose' });
        return;
      }
      setStep((known) => (known.step === 'running' ? { step: 'ended', reviewed: known.reviewed, end: how } : known));
      // What one has just made is no news (LIST1): a list is read anew, not shown as it was before.
      for (const queryKey of [USERS_KEY, CHANNELS_KEY]) queries.removeQueries({ queryKey, type: 'inactive' });
      void queries.invalidateQueries();
    },
    [queries, storage, kind],
  );

  const stopRereading = useCallback(() => rereading.current?.abort(), []);
  const discard = (id: string) => {
    setDraft(undefined);
    void forgetDraft(userId, kind, id);
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
  /** For what took a while: goes on only if nothing else was begun meanwhile. */
  const goOn = (from: Step['step'], next: Step) => setStep((known) => (known.step === from ? next : known));
  const resume = async ({ id, file, fileName, options, ...kept }: ImportDraft): Promise<void> => {
    const reading = await read(file, options, new AbortController().signal);
    const found = reading.ok ? sourceOf(kind, { id, file, fileName, options, sheets: reading.sheets }) : undefined;
    if (found === undefined) {
      // The draft stays: its file may well be read the next time.
      goOn('choose', { step: 'choose', fault: reading.ok ? 'empty' : reading.fault });
      return;
    }
    const chosen = found.sheets.find(({ name }) => name === kept.sheetName) ?? found.chosen;
    const source: Source = { ...found, chosen, mapping: kept.mapping, settled: kept.settled };
    goOn('choose', kept.rows === null ? firstStep(source) : rowsStep(source, rowsOfDraft(kept.rows)));
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
    draft,
    discard,
    replacing,
    /** What was asked about replacing a draft is answered. */
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
     * Reads the file in another way, keeping what was edited. `isReview`: goes on with its rows, if that can be.
     * Each step calls `stopRereading` when anything of it changes: what is done meanwhile wins over the reading (IMP34).
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
      const importId = randomId();
      storage.keepImport(kind, importId);
      discard(source.id);
      const sent = startImport({ api, realtime, kind, rows: rowsToSend(rows, judged), withAdmins, importId });
      setStep({ step: 'running', reviewed: { ...source, rows, judged }, run: sent });
    },
  };
}

export type Import = ReturnType<typeof useImport>;
