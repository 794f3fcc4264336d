import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconCopy,
  IconDownload,
  IconKey,
  IconUserCheck,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link, useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSession } from '#src/shared/services.tsx';
import { useAnnouncement } from '#src/shared/ui/announcer.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { useSaveWorkbook } from '../export/use-save-workbook.ts';
import { type ImportKind, rowShown } from '../sheet/import-kinds.ts';
import { type CellsOf, passwordSheetOf, rejectedSheetOf } from '../sheet/transfer-sheets.ts';
import styles from '../transfer.module.css';
import type { ImportResult, NamedRow, RejectedRow } from './import-run.ts';
import { useReasonWords } from './reason-words.ts';

/** Maximum of rows listed on screen; the download has all rows that were not imported. */
const SHOWN = 200;

export interface ResultStepProps {
  kind: ImportKind;
  result: ImportResult;
  passwordMinLength: number;
  /** Accounts created with a generated password. */
  made: readonly CellsOf[];
  /** Goes back to the rows; undefined when they were lost by a reload. */
  onRows: (() => void) | undefined;
  onAnother: () => void;
}

/** The outcome: rows not imported with reasons, existing rows, imported rows. */
export function ResultStep({ kind, result, passwordMinLength, made, onRows, onAnother }: ResultStepProps) {
  const hasRows = onRows !== undefined;
  const [isSaved, setSaved] = useState(false);
  /** The next step once the user gives up the passwords. */
  const [next, setNext] = useState<() => void>();
  const hasUnsaved = made.length > 0 && !isSaved;
  const leave = (go: () => void) => (hasUnsaved ? setNext(() => go) : go());
  const { current } = useLanguage();
  const count = (rows: readonly NamedRow[]) => rows.length.toLocaleString(current);
  const { t } = useTranslation('transfer');
  const { t: file } = useTranslation('exports');
  const words = useReasonWords(passwordMinLength, false);
  const { save, isSaving } = useSaveWorkbook();
  const reasonOf = ({ faults }: RejectedRow) => words.ofRow({ state: 'rejected', faults });
  const isUsers = kind === 'users';

  const download = () =>
    save(file(isUsers ? 'file.rejectedUsers' : 'file.rejectedChannels'), async () => [
      rejectedSheetOf(
        kind,
        file(isUsers ? 'file.sheetUsers' : 'file.sheetChannels'),
        file('file.reason'),
        result.rejected.map((row) => ({ cells: row.cells, reason: reasonOf(row) })),
      ),
    ]);

  const summary = t('done.summary', {
    created: count(result.created),
    rejected: count(result.rejected),
    existing: count(result.existing),
  });
  useAnnouncement(`${t('done.title')}. ${summary}`);
  return (
    <section className={styles.step}>
      <div className={styles.doneHead}>
        <div>
          <h2 className={styles.heading}>{t('done.title')}</h2>
          <p className={styles.summary}>{summary}</p>
        </div>
        <div className={styles.acts}>
          <Button variant="default" onClick={() => leave(onAnother)}>
            {t('done.another')}
          </Button>
          {onRows !== undefined && result.rejected.length > 0 && (
            <Button variant="default" onClick={() => leave(onRows)}>
              {t('done.backToRows')}
            </Button>
          )}
          <Button renderRoot={(props) => <Link to={isUsers ? '/usersList' : '/channelsList'} {...props} />}>
            {t(`done.toList.${kind}`)}
          </Button>
        </div>
      </div>
      {!hasRows && <p className={styles.dim}>{t('done.rowsGone')}</p>}
      {made.length > 0 && <MadePasswords accounts={made} onSave={() => setSaved(true)} />}
      {hasUnsaved && <MadePasswordsGuard />}
      <LosePasswords isOpen={next !== undefined} onConfirm={() => next?.()} onCancel={() => setNext(undefined)} />
      <div className={styles.groups}>
        <Group
          icon={IconAlertTriangle}
          title={t('done.rejected')}
          none={t('done.noRejected')}
          rows={result.rejected}
          isFault
          detail={(row) => reasonOf(row)}
          act={
            hasRows &&
            result.rejected.length > 0 && (
              <Button
                variant="default"
                loading={isSaving}
                leftSection={<IconDownload size={16} aria-hidden="true" />}
                onClick={download}
              >
                {t('done.download')}
              </Button>
            )
          }
        />
        <Group icon={IconUserCheck} title={t('done.existing')} none={t('done.noExisting')} rows={result.existing} />
        <Group icon={IconCheck} title={t('done.created')} none={t('done.noCreated')} rows={result.created} />
        {result.repeated.length > 0 && (
          <Group icon={IconCopy} title={t('done.repeated')} none="" rows={result.repeated} />
        )}
      </div>
    </section>
  );
}

interface GroupProps<Row extends NamedRow> {
  icon: TablerIcon;
  title: string;
  none: string;
  rows: readonly Row[];
  isFault?: boolean;
  detail?: (row: Row) => string;
  act?: ReactNode;
}

function Group<Row extends NamedRow>({ icon: Icon, title, none, rows, isFault = false, detail, act }: GroupProps<Row>) {
  const { t } = useTranslation('transfer');
  const { current } = useLanguage();
  const more = rows.length - SHOWN;
  return (
    <section className={styles.group} aria-label={title} data-fault={(isFault && rows.length > 0) || undefined}>
      <header className={styles.groupHead}>
        <Icon size={18} aria-hidden="true" />
        <h3 className={styles.groupTitle}>{title}</h3>
        <span className={styles.count}>{rows.length.toLocaleString(current)}</span>
        {act && <span className={styles.groupAct}>{act}</span>}
      </header>
      {rows.length === 0 ? (
        <p className={styles.dim}>{none}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: must be scrollable by keyboard
        <ul className={styles.list} tabIndex={0} aria-label={title}>
          {rows.slice(0, SHOWN).map((row) => (
            <li key={row.row} className={styles.item}>
              <span className={styles.itemRow}>{t('done.row', { row: String(rowShown(row.row)) })}</span>
              <bdi className={styles.itemName}>{row.name}</bdi>
              {detail && <span className={styles.itemDetail}>{detail(row)}</span>}
            </li>
          ))}
          {more > 0 && <li className={styles.dim}>{t('done.more', { count: more })}</li>}
        </ul>
      )}
    </section>
  );
}

interface MadePasswordsProps {
  /** The accounts that were created with a generated password, at least one. */
  accounts: readonly CellsOf[];
  /** Called when they were written. */
  onSave: () => void;
}

/** Saves the generated passwords, which nothing shows again. */
function MadePasswords({ accounts, onSave }: MadePasswordsProps) {
  const { t } = useTranslation('transfer');
  const { t: file } = useTranslation('exports');
  const { save, isSaving } = useSaveWorkbook();
  return (
    <section className={styles.draft} aria-label={t('field.password')}>
      <IconKey size={18} aria-hidden="true" />
      <p className={styles.draftText}>{t('done.passwords', { count: accounts.length })}</p>
      <Button
        loading={isSaving}
        leftSection={<IconDownload size={16} aria-hidden="true" />}
        onClick={() =>
          save(file('file.passwords'), async () => [passwordSheetOf(file('file.sheetUsers'), accounts)], onSave)
        }
      >
        {t('done.passwordsSave')}
      </Button>
    </section>
  );
}

/** Asks before the user leaves the only page that has the generated passwords, by a link or by closing the page. */
export function MadePasswordsGuard() {
  const session = useSession();
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && session.getSnapshot().state === 'signedIn',
    enableBeforeUnload: true,
    withResolver: true,
  });
  return (
    <LosePasswords
      isOpen={leaving.status === 'blocked'}
      onConfirm={() => leaving.proceed?.()}
      onCancel={() => leaving.reset?.()}
    />
  );
}

interface LosePasswordsProps {
  isOpen: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before generated passwords that were not saved are lost. */
function LosePasswords({ isOpen, onConfirm, onCancel }: LosePasswordsProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('done.passwordsTitle')}
      confirmLabel={t('done.passwordsLeave')}
      cancelLabel={shared('cancel')}
      isDestructive
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      {t('done.passwordsLost')}
    </ConfirmDialog>
  );
}
