import { ActionIcon, Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { getUserIds } from '@pressel/contract/users';
import { IconBroadcast, IconChevronUp, IconMap2, IconTrash, IconX, type TablerIcon } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { filterQuery } from '#src/shared/lists/list-view.ts';
import type { Selection } from '#src/shared/lists/selection.ts';
import { useApi } from '#src/shared/services.tsx';
import styles from '#src/shared/ui/bulk.module.css';
import type { BulkAct } from './bulk-acts.ts';
import { useFilterWords } from './filter-words.ts';

type OnAsk = (act: BulkAct, opener: HTMLElement | null) => void;

export interface BulkBarProps {
  filter: string;
  /** How many the filter finds. */
  total: number;
  selection: Selection;
  onClear: () => void;
  onAsk: OnAsk;
}

/** How many are selected, the way to select all that is found, and what can be done to them. */
export function BulkBar({ filter, total, selection, onClear, onAsk }: BulkBarProps) {
  const { t } = useTranslation('users');
  const count = selection.keys.size;
  return (
    <section className={styles.bar} aria-label={t('bulk.bar')}>
      <div className={styles.choices}>
        <ActionIcon variant="subtle" size="lg" aria-label={t('bulk.clear')} title={t('bulk.clear')} onClick={onClear}>
          <IconX size={18} aria-hidden="true" />
        </ActionIcon>
        <span className={styles.count} aria-live="polite">
          {t('bulk.count', { count })}
        </span>
        {count < total && <SelectAll filter={filter} total={total} selection={selection} />}
      </div>
      <div className={styles.barActs}>
        <ActMenu
          label={t('bulk.channels')}
          icon={IconBroadcast}
          acts={['addToChannels', 'removeFromChannels']}
          onAsk={onAsk}
        />
        <ActMenu label={t('bulk.map')} icon={IconMap2} acts={['grantMap', 'withdrawMap']} onAsk={onAsk} />
        <Button
          variant="default"
          color="fault"
          leftSection={<IconTrash size={16} aria-hidden="true" />}
          onClick={(event) => onAsk('delete', event.currentTarget)}
        >
          {t('act.delete')}
        </Button>
      </div>
    </section>
  );
}

function SelectAll({ filter, total, selection }: Pick<BulkBarProps, 'filter' | 'total' | 'selection'>) {
  const { t } = useTranslation('users');
  const { current } = useLanguage();
  const api = useApi();
  const words = useErrorWords();
  const wordsOf = useFilterWords();
  const isFiltered = filter.trim() !== '';
  const select = useMutation({
    mutationFn: () => api.call(getUserIds, isFiltered ? { ...filterQuery(filter, current), ...wordsOf(filter) } : {}),
    onSuccess: ({ res }) => selection.set(res, true),
    onError: (error) => notifications.show({ title: t('bulk.allFailed'), message: words(error) }),
  });
  return (
    <Button size="compact-sm" variant="subtle" loading={select.isPending} onClick={() => select.mutate()}>
      {t(isFiltered ? 'bulk.allFound' : 'bulk.all', { count: total })}
    </Button>
  );
}

interface ActMenuProps {
  label: string;
  icon: TablerIcon;
  acts: readonly BulkAct[];
  onAsk: OnAsk;
}

function ActMenu({ label, icon: Icon, acts, onAsk }: ActMenuProps) {
  const { t } = useTranslation('users');
  const buttonRef = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="top-start" offset={4}>
      <Menu.Target>
        <Button
          ref={buttonRef}
          variant="default"
          leftSection={<Icon size={16} aria-hidden="true" />}
          rightSection={<IconChevronUp size={14} aria-hidden="true" />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {acts.map((act) => (
          <Menu.Item key={act} onClick={() => onAsk(act, buttonRef.current)}>
            {t(`bulk.menu.${act}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
