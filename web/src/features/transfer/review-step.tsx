import { Button, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowDown } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { AlikeOffer } from './alike-offer.tsx';
import {
  FIELDS,
  type ImportKind,
  type ImportRow,
  type JudgedRow,
  VERDICTS,
  type VerdictState,
} from './import-kinds.ts';
import { useReasonWords } from './reason-words.ts';
import { STATE_ICONS } from './review-row.tsx';
import { ReviewTable } from './review-table.tsx';
import styles from './transfer.module.css';
import { useAlike } from './use-alike.tsx';
import { useBeforeUnload } from './use-before-unload.ts';
import { useGrid } from './use-grid.ts';
import { useReview } from './use-review.ts';

type Filter = VerdictState | 'all';

export interface ReviewStepProps {
  kind: ImportKind;
  fileName: string;
  rows: readonly ImportRow[];
  passwordMinLength: number;
  onColumns: (rows: readonly ImportRow[]) => void;
  onOtherFile: () => void;
  onSend: (rows: readonly ImportRow[], judged: readonly JudgedRow[]) => void;
}

/** Shows the verdict on every row before anything is sent, and lets faults be corrected in place. */
export function ReviewStep({ kind, passwordMinLength, ...props }: ReviewStepProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  const errorWords = useErrorWords();
  const words = useReasonWords(passwordMinLength);
  const review = useReview(kind, props.rows, passwordMinLength);
  const [filter, setFilter] = useState<Filter>('all');
  const [showPasswords, setShowPasswords] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [activeRow, setActiveRow] = useState<number>();
  const alike = useAlike(review);
  const place = useRef<HTMLElement>(null);
  const { judged } = review;
  // The row being edited stays visible after its correction, until another one is edited or the filter changes.
  const shown = filter === 'all' ? judged : judged.filter(({ row, state }) => state === filter || row === activeRow);
  const grid = useGrid({
    rows: shown,
    fields: FIELDS[kind],
    onEdit(row, field, text, before) {
      setActiveRow(row);
      review.edit(row, field, text);
      alike.note({ row, field, before, after: text });
    },
  });
  useBeforeUnload(review.rows !== props.rows);

  const counts = countStates(judged);
  const choose = (next: Filter): void => {
    grid.forget();
    setActiveRow(undefined);
    setFilter(next);
  };
  const goToNextProblem = (): void => {
    if (filter !== 'all' && filter !== 'rejected') choose('all');
    const found = nextProblem(judged, grid.active?.row ?? activeRow);
    if (found === undefined) return;
    const column = FIELDS[kind].indexOf(found.faults[0]?.field ?? 'name');
    grid.goTo({ row: found.row, column: Math.max(0, column) });
  };
  const remove = (row: number): void => {
    const index = review.rows.findIndex((one) => one.row === row);
    const removed = review.rows[index];
    if (removed === undefined) return;
    const at = shown.findIndex((one) => one.row === row);
    const neighbour = shown[at + 1] ?? shown[at - 1];
    review.remove(row);
    if (neighbour) grid.goTo({ row: neighbour.row, column: FIELDS[kind].length });
    const id = notifications.show({
      message: (
        <span className={styles.undo}>
          {t('review.removed', { row: String(row) })}
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

  const fixed = alike.fix && { row: alike.fix.row, column: FIELDS[kind].indexOf(alike.fix.field) };
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
          <Button variant="subtle" size="compact-md" onClick={() => props.onColumns(review.rows)}>
            {t('review.columns')}
          </Button>
          <Button variant="subtle" size="compact-md" onClick={props.onOtherFile}>
            {t('review.otherFile')}
          </Button>
        </span>
      </div>
      <ReviewTable kind={kind} rows={shown} grid={grid} words={words} showPasswords={showPasswords} onRemove={remove} />
      {shown.length === 0 && <p className={styles.none}>{t('review.none')}</p>}
      <div className={styles.foot}>
        <p className={styles.detail} role="status">
          {atHand ? (
            <>
              <strong>{t('done.row', { row: String(atHand.row) })}</strong> <bdi>{words.ofRow(atHand)}</bdi>
            </>
          ) : (
            t('review.hint')
          )}
        </p>
        <AlikeOffer alike={alike} isTyping={isAtFixed && grid.draft !== undefined} onDone={goToFixed} />
        {review.check === 'checking' && <span className={styles.dim}>{t('review.recheck')}</span>}
        <Button
          onClick={() => setAsking(true)}
          disabled={counts.good === 0 || review.isStale || review.check !== 'checked'}
        >
          {counts.good === 0 ? t('review.nothing') : t('review.send', { count: counts.good })}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('sure.title')}
        confirmLabel={t('sure.confirm')}
        cancelLabel={shared('cancel')}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          props.onSend(review.rows, judged);
        }}
      >
        <p>{t(`sure.${kind}`, { count: counts.good })}</p>
        {left > 0 && <p className={styles.dim}>{t('sure.left', { count: left })}</p>}
      </ConfirmDialog>
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

/** The next rejected row after a row, else the first one. */
function nextProblem(judged: readonly JudgedRow[], after: number | undefined): JudgedRow | undefined {
  const start = judged.findIndex(({ row }) => row === after) + 1;
  const isProblem = ({ state }: JudgedRow) => state === 'rejected';
  return judged.slice(start).find(isProblem) ?? judged.find(isProblem);
}
