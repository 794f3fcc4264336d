import { Button, Menu } from '@mantine/core';
import { IconBroadcast, IconChevronUp, IconMap2, IconTrash, type TablerIcon } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Selection } from '#src/shared/lists/selection.ts';
import { SelectionBar } from '#src/shared/lists/selection-bar.tsx';
import type { BulkAct } from './bulk-dialog.tsx';
import { useFoundUsers } from './filter-words.ts';

type OnAsk = (act: BulkAct, opener: HTMLElement | null) => void;

export interface BulkBarProps {
  filter: string;
  /** The number of users that the filter finds. */
  total: number;
  selection: Selection;
  onClear: () => void;
  onAsk: OnAsk;
}

/** The bar of selected users, with the acts on them. */
export function BulkBar({ filter, total, selection, onClear, onAsk }: BulkBarProps) {
  const { t } = useTranslation('users');
  const readKeys = useFoundUsers(filter);
  return (
    <SelectionBar
      isFiltered={filter.trim() !== ''}
      total={total}
      selection={selection}
      readKeys={readKeys}
      onClear={onClear}
    >
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
    </SelectionBar>
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
