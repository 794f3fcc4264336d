import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from '../i18n/use-translation.tsx';
import type { SteadyList } from '../lists/use-steady-rows.ts';
import styles from './data-table.module.css';

/** Says that a list whose rows are held has changed, and shows the changes on request. */
export function ListNews<Row>({ list }: { list: SteadyList<Row> }) {
  const { t } = useTranslation('shared');
  if (!list.isHeld) return null;
  return (
    <div role="status" className={styles.news}>
      {list.isChanged && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconArrowUp size={14} aria-hidden="true" />}
          onClick={list.onShow}
        >
          {list.waiting > 0 ? t('list.waiting', { count: list.waiting }) : t('list.changed')}
        </Button>
      )}
    </div>
  );
}
