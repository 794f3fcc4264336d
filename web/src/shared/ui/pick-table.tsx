import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation.tsx';
import type { AskedPage, ListView } from '../lists/list-view.ts';
import type { Column, Ticks } from './data-table.tsx';
import { FilterBox } from './filter-box.tsx';
import { ListTable } from './list-table.tsx';
import styles from './pick-table.module.css';

export interface PickTableProps<Row, Sort extends string> {
  title: string;
  filterLabel: string;
  /** Number of picked rows over all pages; undefined while unknown. */
  picked: number | undefined;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  list: UseQueryResult<AskedPage<Row>>;
  view: ListView<Sort>;
  onView: (change: Partial<ListView<Sort>>) => void;
  sizes: readonly number[];
  ticks: Ticks<Row>;
  empty: ReactNode;
  /** Buttons beside the filter. */
  acts?: ReactNode;
}

/** A table for picking rows inside a form. The selection is independent of filter and page. */
export function PickTable<Row, Sort extends string>(props: PickTableProps<Row, Sort>) {
  const { t } = useTranslation('shared');
  return (
    <section className={styles.pick} aria-label={props.title}>
      <header className={styles.head}>
        <strong>{props.title}</strong>
        <span className={styles.picked} aria-live="polite">
          {props.picked !== undefined && t('picked', { count: props.picked })}
        </span>
      </header>
      <div className={styles.tools}>
        <FilterBox
          value={props.view.filter}
          onChange={(filter) => props.onView({ filter, page: 1 })}
          label={props.filterLabel}
        />
        {props.acts}
      </div>
      <div className={styles.table}>
        <ListTable
          caption={props.title}
          columns={props.columns}
          rowKey={props.rowKey}
          list={props.list}
          view={props.view}
          onView={props.onView}
          sizes={props.sizes}
          ticks={props.ticks}
          empty={<p className={styles.empty}>{props.empty}</p>}
        />
      </div>
    </section>
  );
}
