import { Button, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { roleOf } from '@pressel/contract/import-rules';
import { IconArrowDown } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { randomId } from '#src/shared/random-id.ts';
import { RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { ImportLeaveGuard, useBeforeUnload } from '../import/import-leave-guard.tsx';
import type { Source } from '../import/import-source.ts';
import { useReasonWords } from '../import/reason-words.ts';
import type { Import } from '../import/use-import.ts';
import {
  fieldsShown,
  type ImportKind,
  type ImportRow,
  type JudgedRow,
  rowShown,
  VERDICTS,
  type VerdictState,
} from '../sheet/import-kinds.ts';
import styles from '../transfer.module.css';
import { AlikeOffer, useAlike } from './alike.tsx';
import { AskList, useFileAsks, useRowAsks } from './asks.tsx';
import { MakeChannels, SendDialog } from './review-dialogs.tsx';
import { ReviewTable, STATE_ICONS } from './review-table.tsx';
import { useGrid } from './use-grid.ts';
import { useReview } from './use-review.ts';

/** The draft is kept on the device after this time without typing. */
const KEEP_DELAY_MS = 500;

type Filter = VerdictState | 'all';

export interface ReviewStepProps {
  kind: ImportKind;
  source: Source;
  rows: readonly ImportRow[];
  passwordMinLength: number;
  work: Import;
}

/** Shows the verdict on every row before anything is sent, and lets faults be corrected in place. */
export function ReviewStep({ kind, source, passwordMinLength, work, ...props }: ReviewStepProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  const errorWords = useErrorWords();
  const review = useReview(kind, props.rows, passwordMinLength);
  const [filter, setFilter] = useState<Filter>('all');
  const [showPasswords, setShowPasswords] = useState(false);
  const words = useReasonWords(passwordMinLength, showPasswords);
  const [isAsking, setAsking] = useState(false);
  const [toMake, setToMake] = useState<readonly string[]>([]);
  const [activeRow, setActiveRow] = useState<number>();
  const alike = useAlike(review);
  const place = useRef<HTMLElement>(null);
  const { judged } = review;
  const fields = fieldsShown(kind, source.mapping);
  // The row being edited stays visible after its correction, until another one is edited or the filter changes.
  const shown = filter === 'all' ? judged : judged.filter(({ row, state }) => state === filter || row === activeRow);
  const grid = useGrid({
    rows: shown,
    fields,
    onEdit(row, field, text, before) {
      setActiveRow(row);
      review.edit(row, field, text);
      alike.note({ row, field, before, after: text });
    },
  });
  useBeforeUnload(review.rows !== props.rows);
  const { keep, stopRereading } = work;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a reading is of these rows, read that way
  useEffect(() => stopRereading, [stopRereading, source, review.rows]);
  useEffect(() => {
    const timer = setTimeout(() => void keep(source, review.rows), KEEP_DELAY_MS);
    return () => clearTimeout(timer);
  }, [keep, source, review.rows]);

  const counts = countStates(judged);
  const asks = [...useFileAsks(kind, source, review.rows, work), ...useRowAsks(review, passwordMinLength, setToMake)];
  const isUnanswered = asks.some(({ isUrgent }) => isUrgent === true);
  const choose = (next: Filter): void => {
    grid.forget();
    setActiveRow(undefined);
    setFilter(next);
  };
  const goToNextProblem = (): void => {
    if (filter !== 'all' && filter !== 'rejected') choose('all');
    const found = nextProblem(judged, grid.active?.row ?? activeRow);
    if (found === undefined) return;
    const column = fields.indexOf(found.faults[0]?.field ?? 'name');
    grid.goTo({ row: found.row, column: Math.max(0, column) });
  };
  const remove = (row: number): void => {
    const index = review.rows.findIndex((one) => one.row === row);
    const removed = review.rows[index];
    if (removed === undefined) return;
    const at = shown.findIndex((one) => one.row === row);
    const neighbour = shown[at + 1] ?? shown[at - 1];
    review.remove(row);
    if (neighbour) grid.goTo({ row: neighbour.row, column: fields.length });
    const id = `removed ${randomId()}`;
    notifications.show({
      id,
      message: (
        <span className={styles.undo}>
          {t('review.removed', { row: String(rowShown(row)) })}
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              review.undoRemove(removed, index);
              notifications.hide(id);
            }}
          >
            {t('review.undo')}
          </Button>
        </span>
      ),
    });
  };

  const fixed = alike.fix && { row: alike.fix.row, column: fields.indexOf(alike.fix.field) };
  const isAtFixed = grid.active?.row === fixed?.row && grid.active?.column === fixed?.column;
  const goToFixed = (): void => {
    if (fixed) grid.goTo(fixed);
    // The grid focuses a cell only when the active cell changes; if it is active already, focus it here.
    if (isAtFixed) place.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus();
  };

  const atHand = judged.find(({ row }) => row === grid.active?.row);
  const left = judged.length - counts.good;
  if (review.check === 'checking' && review.rows === props.rows && judged.length === 0) return <RowsSkeleton />;
  return (
    <section ref={place} className={styles.step} aria-label={t('review.table')}>
      {review.check === 'failed' && (
        <InlineError>
          {t('review.notChecked')} {errorWords(review.checkError)}{' '}
          <Button size="compact-sm" variant="default" onClick={review.retryCheck}>
            {shared('retry')}
          </Button>
        </InlineError>
      )}
      <AskList asks={asks} />
      <div className={styles.bar}>
        <fieldset className={styles.chips}>
          <legend className={styles.hidden}>{t('review.filter')}</legend>
          <Chip label={t('review.all')} count={judged.length} isOn={filter === 'all'} onPick={() => choose('all')} />
          {VERDICTS.map((state) => {
            const Icon = STATE_ICONS[state];
            return (
              <Chip
                key={state}
                icon={<Icon size={14} aria-hidden="true" />}
                label={t(`state.${state}`)}
                count={counts[state]}
                isOn={filter === state}
                isFault={state === 'rejected' && counts.rejected > 0}
                onPick={() => choose(state)}
              />
            );
          })}
        </fieldset>
        <Button
          variant="default"
          leftSection={<IconArrowDown size={16} aria-hidden="true" />}
          disabled={counts.rejected === 0}
          onClick={goToNextProblem}
        >
          {t('review.next')}
        </Button>
        {kind === 'users' && (
          <Switch
            size="xs"
            label={t('review.showPasswords')}
            checked={showPasswords}
            onChange={(event) => setShowPasswords(event.currentTarget.checked)}
          />
        )}
        <span className={styles.barEnd}>
          <Button variant="subtle" size="compact-md" onClick={() => work.toColumns(source, review.rows)}>
            {t('review.columns')}
          </Button>
          <Button variant="subtle" size="compact-md" onClick={() => work.startOver(source)}>
            {t('review.otherFile')}
          </Button>
        </span>
      </div>
      <ReviewTable
        kind={kind}
        fields={fields}
        rows={shown}
        grid={grid}
        words={words}
        showPasswords={showPasswords}
        onRemove={remove}
      />
      {shown.length === 0 && <p className={styles.none}>{t('review.none')}</p>}
      <div className={styles.foot}>
        <p className={styles.detail} role="status">
          {atHand ? (
            <>
              <strong>{t('done.row', { row: String(rowShown(atHand.row)) })}</strong> <bdi>{words.ofRow(atHand)}</bdi>
            </>
          ) : (
            t('review.hint')
          )}
        </p>
        <AlikeOffer alike={alike} isTyping={isAtFixed && grid.draft !== undefined} onDone={goToFixed} />
        {isUnanswered && <span className={styles.fault}>{t('ask.first')}</span>}
        {review.check === 'checking' && <span className={styles.dim}>{t('review.recheck')}</span>}
        <Button
          onClick={() => setAsking(true)}
          disabled={counts.good === 0 || review.isStale || review.check !== 'checked' || isUnanswered}
        >
          {counts.good === 0 ? t('review.nothing') : t('review.send', { count: counts.good })}
        </Button>
      </div>
      <ImportLeaveGuard onKeep={() => keep(source, review.rows)} onDiscard={() => work.discard(source.id)} />
      <MakeChannels
        names={toMake}
        onMade={(names) => {
          review.learnChannels(names);
          setToMake([]);
        }}
        onCancel={() => setToMake([])}
      />
      <SendDialog
        isOpen={isAsking}
        kind={kind}
        counts={{ good: counts.good, left, ...specialsOf(judged) }}
        onCancel={() => setAsking(false)}
        onSend={(withAdmins) => {
          setAsking(false);
          work.send(source, review.rows, judged, withAdmins);
        }}
      />
    </section>
  );
}

interface ChipProps {
  icon?: React.ReactNode;
  label: string;
  count: number;
  isOn: boolean;
  isFault?: boolean;
  onPick: () => void;
}

function Chip({ icon, label, count, isOn, isFault = false, onPick }: ChipProps) {
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={isOn}
      data-fault={isFault || undefined}
      onClick={onPick}
    >
      {icon}
      {label} <span className={styles.count}>{count}</span>
    </button>
  );
}

function countStates(judged: readonly JudgedRow[]): Record<VerdictState, number> {
  const counts = { rejected: 0, existing: 0, repeated: 0, good: 0 };
  for (const { state } of judged) counts[state] += 1;
  return counts;
}

/** Counts the good rows that need a word before they are sent. */
function specialsOf(judged: readonly JudgedRow[]): { admins: number; made: number } {
  const good = judged.filter(({ state }) => state === 'good');
  return {
    admins: good.filter(({ cells }) => roleOf(cells.role ?? '') === 'admin').length,
    made: good.filter(({ notes }) => notes?.password === 'made').length,
  };
}

/** The next rejected row after a row, else the first one. */
function nextProblem(judged: readonly JudgedRow[], after: number | undefined): JudgedRow | undefined {
  const start = judged.findIndex(({ row }) => row === after) + 1;
  const isProblem = ({ state }: JudgedRow) => state === 'rejected';
  return judged.slice(start).find(isProblem) ?? judged.find(isProblem);
}
