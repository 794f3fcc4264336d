import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ActivityFilter, exportActivities } from '@pressel/contract/activities';
import { type LoggedType, loggedType } from '@pressel/contract/activity-types';
import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ownTimeZone } from '#src/shared/format/format.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { type SnapshotSource, useSnapshot } from '#src/shared/use-snapshot.ts';
import styles from './activities.module.css';
import { SHEET_COLUMNS } from './log-columns.ts';
import {
  ExportCutShort,
  type ExportProgress,
  isUnderWay,
  type LogExport,
  openTextFile,
  openWorkbook,
  startLogExport,
} from './log-export.ts';

type Format = 'xlsx' | 'csv';

/** Stands for no export; it never changes. */
const NONE: SnapshotSource<ExportProgress | undefined> = {
  getSnapshot: () => undefined,
  subscribe: () => () => undefined,
};

/** The export that is running or ended last, and how to begin one. */
export interface ExportState {
  current: LogExport | undefined;
  start: (format: Format) => Promise<void>;
  clear: () => void;
}

/** Exports what the filter finds as a file; leaving the page cancels it. */
export function useLogExport(filter: ActivityFilter): ExportState {
  const { t } = useTranslation('activityLog');
  const { t: words } = useTranslation('activities');
  const api = useApi();
  const [current, setCurrent] = useState<LogExport>();
  useEffect(() => () => current?.cancel(), [current]);
  /** The export begun last; undefined once the page is left. */
  const begun = useRef<symbol>(undefined);
  useEffect(
    () => () => {
      begun.current = undefined;
    },
    [],
  );

  const openFile = (format: Format, timeZone: string) => {
    const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }).format(new Date());
    const name = `${t('export.file')}-${day}.${format}`;
    if (format === 'csv') return openTextFile(name);
    const acts = Object.fromEntries(loggedType.options.map((type) => [type, words(`short.${type}`)]));
    const header = SHEET_COLUMNS.map((column) => t(`export.column.${column}`));
    // Sound: there is one text for each of the options.
    return openWorkbook(name, { sheet: t('export.sheet'), header, acts: acts as Record<LoggedType, string>, timeZone });
  };
  return {
    current,
    clear: () => setCurrent(undefined),
    async start(format) {
      const own = Symbol(format);
      begun.current = own;
      setCurrent(undefined);
      const timeZone = ownTimeZone();
      const file = await openFile(format, timeZone);
      if (file === undefined) return;
      // While the user chose a file or the worker loaded, the page was left or another export was begun.
      if (begun.current !== own) return file.drop();
      const body = { ...filter, format: format === 'csv' ? ('csv' as const) : ('ndjson' as const), timeZone };
      setCurrent(startLogExport({ file, open: (signal) => api.stream(exportActivities, body, { signal }) }));
    },
  };
}

/** The menu that begins an export. */
export function ExportMenu({ state }: { state: ExportState }): ReactNode {
  const { t } = useTranslation('activityLog');
  const { t: shared } = useTranslation('shared');
  const words = useErrorWords();
  const button = useRef<HTMLButtonElement>(null);
  const hadBar = useRef(false);
  const hasBar = state.current !== undefined;
  // The export's bar is gone, with its focused button.
  useEffect(() => {
    if (!hasBar && hadBar.current && document.activeElement === document.body) button.current?.focus();
    hadBar.current = hasBar;
  }, [hasBar]);
  const progress = useSnapshot(state.current ?? NONE);
  const isOn = progress !== undefined && isUnderWay(progress);
  const start = (format: Format) => {
    state.start(format).catch((error: unknown) => {
      notifications.show({ title: t('export.failed'), message: words(error) });
    });
  };
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          ref={button}
          variant="default"
          disabled={isOn}
          leftSection={<IconDownload size={16} aria-hidden="true" />}
          title={isOn ? shared('loading') : undefined}
        >
          {t('export.act')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => start('xlsx')}>{t('export.xlsx')}</Menu.Item>
        <Menu.Item onClick={() => start('csv')}>{t('export.csv')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Shows how far an export is; then that it is there, or why not. */
export function ExportBar({ run, onClose }: { run: LogExport; onClose: () => void }) {
  const { t } = useTranslation('activityLog');
  const { t: shared } = useTranslation('shared');
  const words = useErrorWords();
  const progress = useSnapshot(run);
  const { phase, done, total } = progress;

  useEffect(() => {
    if (phase === 'cancelled') onClose();
  });
  // The menu that began the export is disabled while the bar is there.
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);

  const isOn = isUnderWay(progress);
  const state = () => {
    if (phase === 'finished') return t('export.done', { count: done });
    if (phase === 'saving') return t('export.saving');
    return total === undefined ? t('export.starting') : t('export.progress', { done, total });
  };
  return (
    <section className={styles.export} aria-label={t('export.label')} data-unsaved={isOn ? '' : undefined}>
      {isOn && <progress value={total === undefined ? undefined : done} max={total} aria-label={t('export.label')} />}
      {progress.phase === 'failed' ? (
        <p role="alert">
          <strong>{t('export.failed')}</strong>{' '}
          <span>{progress.error instanceof ExportCutShort ? t('export.short') : words(progress.error)}</span>
        </p>
      ) : (
        // Off, because otherwise each step of the figures would be read aloud.
        <p aria-live={isOn ? 'off' : 'polite'}>{state()}</p>
      )}
      <Button ref={button} variant="default" size="xs" onClick={isOn ? run.cancel : onClose}>
        {shared(isOn ? 'cancel' : 'close')}
      </Button>
    </section>
  );
}
