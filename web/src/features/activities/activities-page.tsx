import { ActionIcon, Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowUp, IconClipboardList, IconFilterOff, IconList } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '#src/shared/api/api-error.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lastPage } from '#src/shared/lists/list-view.ts';
import { Pager } from '#src/shared/lists/pager.tsx';
import { randomId } from '#src/shared/random-id.ts';
import { throttleSeen } from '#src/shared/realtime/throttle.ts';
import { useApi, useRealtime, useStorage } from '#src/shared/services.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import styles from './activities.module.css';
import { ACTIVITIES_KEY, type ActivitiesPart, activitiesPage } from './activities.queries.ts';
import {
  type ActivitiesView,
  FILTERS,
  filterOf,
  isFiltered,
  isReversed,
  LAYOUT_PAGE,
  type LogLayout,
  logLayout,
} from './activities-view.ts';
import { ActivityFilters } from './activity-filters.tsx';
import { ActivityTimeline } from './activity-timeline.tsx';
import { DeleteActivities } from './delete-activities.tsx';
import { ExportBar, ExportMenu, useLogExport } from './export-activities.tsx';

/**
 * Names the time from one look at the newest entries to the next. Within it every page keeps its entries, and so does
 * the way back to the first one.
 */
function useVisit(): { visit: string; begin: () => void } {
  const [visit, setVisit] = useState(randomId);
  return { visit, begin: () => setVisit(randomId()) };
}

/** Minimum interval between reads of the number of new entries in a busy log, ms. */
const THROTTLE_MS = 3_000;

/** Reads the page on the screen again when the log has changed. Its entries stay; new ones are counted. */
function useLogNews(): void {
  const realtime = useRealtime();
  const queries = useQueryClient();
  useEffect(() => {
    const reread = throttleSeen(() => {
      void queries.invalidateQueries({ queryKey: [...ACTIVITIES_KEY, 'page'] }, { cancelRefetch: false });
    }, THROTTLE_MS);
    const stops = [
      realtime.on('activities_added', reread.call),
      realtime.on('activities_deleted', reread.call),
      reread.close,
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [realtime, queries]);
}

/** Debounce of the text while typing, ms. */
const TYPING_PAUSE_MS = 150;

export interface ActivitiesPageProps {
  view: ActivitiesView;
  /** `isNoStep`: 'back' skips it, because it is typed text or the correction of an address that leads nowhere. */
  onView: (change: Partial<ActivitiesView>, isNoStep?: boolean) => void;
}

/** The activity log. For administrators. */
export function ActivitiesPage({ view, onView }: ActivitiesPageProps) {
  const { t } = useTranslation('activities');
  const { t: log } = useTranslation('activityLog');
  const api = useApi();
  const [q] = useDebouncedValue(view.q, TYPING_PAUSE_MS);
  const filter = filterOf({ ...view, q });
  const { visit, begin } = useVisit();
  const page = view.page ?? 1;
  const storage = useStorage();
  const layout = view.layout ?? storage.readPreference('logLayout', logLayout) ?? 'columns';
  const size = LAYOUT_PAGE[layout];
  const list = useQuery(activitiesPage(api, filter, { page, size, top: view.top, visit }));
  useLogNews();
  const exporting = useLogExport(filter);
  const part = list.data;
  const top = view.top ?? part?.top ?? undefined;
  const timeline = useRef<HTMLDivElement>(null);

  // Cursors are the server's own text, so only the server can tell that a text is none of them.
  const hasUnknownCursor = view.top !== undefined && isUnknownCursor(list.error);
  useEffect(() => {
    if (hasUnknownCursor) onView({ top: undefined }, true);
  });

  const layOut = (next: LogLayout) => {
    storage.writePreference('logLayout', next);
    // The page that has this page's first entry.
    const turned = Math.floor(((page - 1) * size) / LAYOUT_PAGE[next]) + 1;
    onView({ layout: next, page: turned > 1 ? turned : undefined, top });
  };
  const showNewest = () => {
    begin();
    onView({ page: undefined, top: undefined });
    timeline.current?.focus({ preventScroll: true });
    timeline.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <Page
      isWide
      title={t('title')}
      fact={part && log('count', { count: part.totalRecords })}
      acts={
        <div className={styles.acts}>
          <ExportMenu state={exporting} />
          <DeleteActivities />
        </div>
      }
    >
      <ActivityFilters view={view} onView={onView} shown={part?.activities ?? []}>
        <ActionIcon
          className={styles.layout}
          variant="default"
          size="var(--control)"
          aria-label={log('lines')}
          title={log('lines')}
          aria-pressed={layout === 'lines'}
          onClick={() => layOut(layout === 'lines' ? 'columns' : 'lines')}
        >
          <IconList size={18} aria-hidden="true" />
        </ActionIcon>
      </ActivityFilters>
      <div ref={timeline} className={styles.log} tabIndex={-1}>
        <div className={styles.news} role="status">
          {part !== undefined && part.newer > 0 && !list.isPlaceholderData && (
            <Button
              size="xs"
              radius="xl"
              leftSection={<IconArrowUp size={14} aria-hidden="true" />}
              onClick={showNewest}
            >
              {log('newer', { count: part.newer })}
            </Button>
          )}
        </div>
        {part === undefined && list.isError ? (
          <LoadError error={list.error} onRetry={() => void list.refetch()} />
        ) : part === undefined ? (
          <RowsSkeleton rows={10} />
        ) : (
          <Entries
            part={part}
            page={page}
            layout={layout}
            isStale={list.isPlaceholderData}
            // The pages keep their entries, because from now on they are counted from where this one began.
            onPage={(next, isCorrection) => onView({ page: next > 1 ? next : undefined, top }, isCorrection)}
            onTurned={() => timeline.current?.scrollIntoView({ block: 'start' })}
            empty={<Nothing view={view} onView={onView} />}
          />
        )}
      </div>
      {exporting.current && <ExportBar run={exporting.current} onClose={exporting.clear} />}
    </Page>
  );
}

const isUnknownCursor = (error: unknown): boolean =>
  error instanceof ApiError && error.params.issues?.some(({ path }) => path === 'cursor') === true;

interface EntriesProps {
  part: ActivitiesPart;
  page: number;
  layout: LogLayout;
  isStale: boolean;
  onPage: (page: number, isCorrection?: boolean) => void;
  /** Called when another page is on the screen. */
  onTurned: () => void;
  empty: ReactNode;
}

function Entries({ part, page, layout, isStale, onPage, onTurned, empty }: EntriesProps) {
  const size = LAYOUT_PAGE[layout];
  const pages = lastPage(part.totalRecords, size);
  const isPastTheEnd = !isStale && page > pages;

  // Falls back to the last page when the current one no longer exists (entries deleted, or an old URL).
  useEffect(() => {
    if (isPastTheEnd) onPage(pages, true);
  });

  // The user reads another page from its beginning, but the pager that was pressed is at its end.
  const shownPage = useRef(page);
  useEffect(() => {
    if (isStale || shownPage.current === page) return;
    shownPage.current = page;
    onTurned();
  });

  if (part.totalRecords === 0) return empty;
  return (
    <>
      <ActivityTimeline activities={part.activities} layout={layout} isStale={isStale || isPastTheEnd} />
      <Pager view={{ page, size }} total={part.totalRecords} onView={({ page: next }) => onPage(next)} />
    </>
  );
}

function Nothing({ view, onView }: ActivitiesPageProps) {
  const { t } = useTranslation('activityLog');
  if (!isFiltered(view)) return <Notice icon={IconClipboardList} title={t('empty')} />;
  const off = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
  return (
    <Notice
      icon={IconFilterOff}
      title={t(isReversed(view) ? 'filter.reversed' : 'noMatch')}
      acts={
        <Button
          variant="default"
          onClick={() => {
            onView(off);
            // The button is removed with the filters.
            document.querySelector<HTMLElement>('main input[type=search]')?.focus();
          }}
        >
          {t('clear')}
        </Button>
      }
    />
  );
}
