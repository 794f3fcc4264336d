import { ActionIcon } from '@mantine/core';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { MissedCalls } from '#src/features/calls/missed-calls.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Brand } from '#src/shared/ui/brand.tsx';
import { NewVersion } from '#src/shared/ui/new-version.tsx';
import { AccountMenu } from './account-menu.tsx';
import type { KeyPanel } from './shortcuts.ts';
import styles from './top-bar.module.css';

export interface TopBarProps {
  /** Opens the sidebar over the page, or unfolds the rail beside it; undefined where it is always unfolded. */
  menu: { isBeside: boolean; isOpen: boolean; toggle: () => void } | undefined;
  /** Opens the panels that keys open, for users who don't know the keys. */
  onPanel: (panel: KeyPanel) => void;
}

export function TopBar({ menu, onPanel }: TopBarProps) {
  const { t } = useTranslation('app');
  const { t: shell } = useTranslation('shell');
  return (
    <header className={styles.bar}>
      {menu && (
        <ActionIcon
          variant="subtle"
          size="lg"
          aria-label={t(menu.isBeside ? 'nav.unfold' : 'nav.open')}
          title={menu.isBeside ? t(menu.isOpen ? 'nav.fold' : 'nav.unfold') : undefined}
          aria-expanded={menu.isOpen}
          onClick={menu.toggle}
        >
          <IconMenu2 size={20} aria-hidden="true" />
        </ActionIcon>
      )}
      <Link to="/dashboard" className={styles.home}>
        <Brand />
      </Link>
      <div className={styles.end}>
        <NewVersion />
        <ActionIcon
          variant="subtle"
          size="lg"
          aria-label={shell('palette.title')}
          title={shell('palette.hint')}
          aria-haspopup="dialog"
          onClick={() => onPanel('palette')}
        >
          <IconSearch size={18} aria-hidden="true" />
        </ActionIcon>
        <MissedCalls />
        <AccountMenu onKeys={() => onPanel('shortcuts')} />
      </div>
    </header>
  );
}
