import { ActionIcon, NativeSelect } from '@mantine/core';
import { IconChevronLeft, IconChevronLeftPipe, IconChevronRight, IconChevronRightPipe } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type ListView, lastPage } from './list-view.ts';
import styles from './pager.module.css';

export interface PagerProps {
  view: Pick<ListView, 'page' | 'size'>;
  /** The name of the paged list, where several lists are on one page. */
  list?: string;
  /** Total number of rows. */
  total: number;
  /** Page sizes to choose from; without them there is only one. */
  sizes?: readonly number[];
  onView: (change: { page: number; size?: number }) => void;
  /** Whether a page can be shown; undefined: all pages can. */
  isThere?: (page: number) => boolean;
}

/**
 * Page navigation: range shown, page size, first/previous/next/last. Shows nothing if all rows fit on the smallest
 * page, and only the page size if they fit on this one.
 */
export function Pager({ view, list, total, sizes, onView, isThere }: PagerProps) {
  const { t } = useTranslation('shared');
  const { page, size } = view;
  const pages = lastPage(total, size);
  const smallest = Math.min(size, ...(sizes ?? []));
  if (pages === 1 && page === 1 && total <= smallest) return null;
  const from = (page - 1) * size + 1;
  const steps = [
    { label: t('pager.first'), icon: IconChevronLeftPipe, to: 1, isOff: page <= 1 },
    { label: t('pager.previous'), icon: IconChevronLeft, to: page - 1, isOff: page <= 1 },
    { label: t('pager.next'), icon: IconChevronRight, to: page + 1, isOff: page >= pages },
    { label: t('pager.last'), icon: IconChevronRightPipe, to: pages, isOff: page >= pages },
  ];
  return (
    <nav className={styles.pager} aria-label={list === undefined ? t('pager.label') : t('pager.of', { list })}>
      {sizes !== undefined && <SizeChoice view={view} sizes={sizes} onView={onView} />}
      <span className={styles.position}>
        {t('pager.rows', {
          from,
          to: Math.min(from + size - 1, total),
          total,
        })}
      </span>
      {(pages > 1 || page > 1) && (
        <span className={styles.steps}>
          {steps.map(({ label, icon: Icon, to, isOff: isEnd }) => {
            // Not `disabled`, which would take the focus from a user who reached the last page.
            const isOff = isEnd || isThere?.(to) === false;
            return (
              <ActionIcon
                key={label}
                variant="default"
                size="lg"
                aria-label={label}
                title={label}
                aria-disabled={isOff}
                {...(isOff ? { 'data-disabled': true } : { onClick: () => onView({ page: to }) })}
              >
                <Icon size={18} aria-hidden="true" />
              </ActionIcon>
            );
          })}
        </span>
      )}
    </nav>
  );
}

function SizeChoice({ view, sizes, onView }: Pick<PagerProps, 'view' | 'onView'> & { sizes: readonly number[] }) {
  const { t } = useTranslation('shared');
  const id = useId();
  const { page, size } = view;
  return (
    <span className={styles.size}>
      <label htmlFor={id}>{t('pager.size')}</label>
      <NativeSelect
        id={id}
        size="xs"
        value={size}
        // Includes a size from the URL that is not among the offered ones.
        data={[...new Set([...sizes, size])].toSorted((a, b) => a - b).map(String)}
        // Keeps the current first row on the new page.
        onChange={(event) => {
          const next = Number(event.currentTarget.value);
          onView({ size: next, page: Math.floor(((page - 1) * size) / next) + 1 });
        }}
      />
    </span>
  );
}
