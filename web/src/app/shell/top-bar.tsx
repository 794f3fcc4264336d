import { ActionIcon } from '@mantine/core';
import { IconMenu2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Brand } from '#src/shared/ui/brand.tsx';
import { AccountMenu } from './account-menu.tsx';
import styles from './top-bar.module.css';

export interface TopBarProps {
  /** Toggles the sidebar's drawer; undefined when the sidebar is always visible. */
  onMenu: (() => void) | undefined;
  isMenuOpen: boolean;
}

export function TopBar({ onMenu, isMenuOpen }: TopBarProps) {
  const { t } = useTranslation('app');
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
        <AccountMenu />
      </div>
    </header>
  );
}
