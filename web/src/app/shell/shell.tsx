import { Drawer } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import type { ChannelId } from '@pressel/contract/ids';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { MembersDialog } from '#src/features/channels/members-dialog.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Brand } from '#src/shared/ui/brand.tsx';
import { CurrentRoomProvider, useCurrentRoom } from './current-room.tsx';
import { KeyPanels } from './key-panels.tsx';
import { LinkBanner } from './link-banner.tsx';
import styles from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { StaySlot } from './stay-slot.tsx';
import { TopBar } from './top-bar.tsx';

/** From this width on the sidebar is always visible; below, it is a drawer (spec §2). */
const WIDE_LAYOUT = '(min-width: 1480px)';

/** Layout of the console: sidebar, top bar, banner and page. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <CurrentRoomProvider>
      <Frame>{children}</Frame>
    </CurrentRoomProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  const isWide = useMediaQuery(WIDE_LAYOUT, false, { getInitialValueInEffect: false });
  const [isOpen, drawer] = useDisclosure(false);
  const room = useCurrentRoom();
  const [isPalette, setPalette] = useState(false);
  const [managed, setManaged] = useState<ChannelId>();
  const pathname = useLocation({ select: (location) => location.pathname });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer
  useEffect(drawer.close, [pathname]);

  const manageUsers = () => {
    if (room === undefined) return;
    room.stopTalking();
    drawer.close();
    setManaged(room.channelId);
  };

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t('skip')}
      </a>
      <TopBar
        onMenu={isWide ? undefined : drawer.toggle}
        isMenuOpen={isOpen}
        onPalette={() => {
          room?.stopTalking();
          setPalette(true);
        }}
      />
      <LinkBanner />
      <div className={styles.body}>
        {isWide ? (
          <aside className={styles.side}>
            <Sidebar onManageUsers={manageUsers} />
          </aside>
        ) : (
          <Drawer
            opened={isOpen}
            onClose={drawer.close}
            title={<Brand />}
            size={280}
            closeButtonProps={{ 'aria-label': shared('close') }}
          >
            <Sidebar onNavigate={drawer.close} onManageUsers={manageUsers} />
          </Drawer>
        )}
        <div className={styles.content} id="content" tabIndex={-1}>
          {children}
        </div>
      </div>
      <StaySlot />
      <KeyPanels isPalette={isPalette} onPalette={setPalette} />
      {/* Outside the drawer, which closes when this opens. Mounted only while a room is shown. */}
      <MembersDialog
        channelId={managed === room?.channelId ? managed : undefined}
        onClose={() => setManaged(undefined)}
      />
    </div>
  );
}
