import { ActionIcon } from '@mantine/core';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { MissedCalls } from '#src/features/calls/missed-calls.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Brand } from '#src/shared/ui/brand.tsx';
import { NewVersion } from '#src/shared/ui/new-version.tsx';
import { AccountMenu } from './account-menu.tsx';
import styles from './top-bar.module.css';

export interface TopBarProps {
  /** Toggles the sidebar's drawer; undefined when the sidebar is always visible. */
  onMenu: (() => void) | undefined;
  isMenuOpen: boolean;
  /** Opens the palette, for those who don't know its key. */
  onPalette: () => void;
}

export function TopBar({ onMenu, isMenuOpen, onPalette }: TopBarProps) {
  const { t } = useTranslation('app');
  const { t: shell } = useTranslation('shell');
  return (
    <header className={styles.bar}>
      {onMenu && (
        <ActionIcon variant="subtle" size="lg" aria-label={t('nav.open')} aria-expanded={isMenuOpen} onClick={onMenu}>
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
          onClick={onPalette}
        >
          <IconSearch size={18} aria-hidden="true" />
        </ActionIcon>
        <MissedCalls />
        <AccountMenu />
      </div>
    </header>
  );
}
