import { Drawer } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Brand } from '#src/shared/ui/brand.tsx';
import { LinkBanner } from './link-banner.tsx';
import styles from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

/** From this width on the sidebar stands beside the page; below it is toggled (spec §2). */
export const WIDE_LAYOUT = '(min-width: 1480px)';

/** Sidebar, top bar, banner, and the page in the middle. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  const isWide = useMediaQuery(WIDE_LAYOUT);
  const [isOpen, drawer] = useDisclosure(false);
  const pathname = useLocation({ select: (location) => location.pathname });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer
  useEffect(drawer.close, [pathname]);

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t('skip')}
      </a>
      <TopBar onMenu={isWide ? undefined : drawer.toggle} isMenuOpen={isOpen} />
      <LinkBanner />
      <div className={styles.body}>
        {isWide ? (
          <aside className={styles.side}>
            <Sidebar />
          </aside>
        ) : (
          <Drawer
            opened={isOpen}
            onClose={drawer.close}
            title={<Brand />}
            size={280}
            closeButtonProps={{ 'aria-label': shared('close') }}
          >
            <Sidebar onNavigate={drawer.close} />
          </Drawer>
        )}
        <div className={styles.content} id="content" tabIndex={-1}>
          {children}
        </div>
      </div>
    </div>
  );
}
