import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import type { ChannelId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { loadMissedCalls } from '#src/features/calls/missed-calls.tsx';
import { CurrentRoomProvider, useCurrentRoom } from '#src/features/room/current-room.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { loadableChunk } from '#src/shared/renewal.ts';
import { useStorage } from '#src/shared/services.tsx';
import { LazyOverlay, LazySection } from '#src/shared/ui/lazy-section.tsx';
import { loadRowMenu } from '#src/shared/ui/row-menu.tsx';
import { atFirstSign, loadAhead, loadWhenIdle } from '#src/shared/when-idle.ts';
import { Banners } from './banners.tsx';
import { KeyPanels } from './key-panels.tsx';
import { RoomBarSlot } from './room-bar-slot.tsx';
import styles from './shell.module.css';
import type { KeyPanel } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { loadAccountMenu, TopBar } from './top-bar.tsx';

/** From this width on the sidebar is always unfolded beside the page (spec §2). */
const WIDE = '(min-width: 1480px)';
/** From this width on the icons stand beside the page. On phones, also held sideways, the sidebar is only a drawer. */
const RAIL = '(min-width: 851px) and (min-height: 561px)';
/** From this width on a page beside the unfolded sidebar is wider than a phone's. */
const ROOMY = '(min-width: 1100px) and (min-height: 561px)';
const AT_ONCE = { getInitialValueInEffect: false };

interface NavigationLayout {
  /** The form of the sidebar beside the page. */
  beside: 'full' | 'rail' | null;
  /** Whether the rail can be unfolded beside the page. Elsewhere the sidebar opens over it. */
  canUnfold: boolean;
  setUnfolded: (isUnfolded: boolean) => void;
}

/** Returns the sidebar's place, by the window's size and the choice in this browser [ROOM27]. */
function useNavigationLayout(): NavigationLayout {
  const storage = useStorage();
  const isWide = useMediaQuery(WIDE, false, AT_ONCE);
  const hasRail = useMediaQuery(RAIL, false, AT_ONCE);
  const isRoomy = useMediaQuery(ROOMY, false, AT_ONCE);
  const [isUnfolded, setUnfolded] = useState(() => storage.readPreference('isNavUnfolded', z.boolean()) ?? false);
  const canUnfold = isRoomy && !isWide;
  return {
    beside: isWide || (canUnfold && isUnfolded) ? 'full' : hasRail ? 'rail' : null,
    canUnfold,
    setUnfolded(wanted) {
      setUnfolded(wanted);
      storage.writePreference('isNavUnfolded', wanted);
    },
  };
}

/** Parts that open over every page of the console. They are loaded separately, so no page waits for them. */
const loadDrawer = loadableChunk(() => import('./side-drawer.tsx'));
const loadMembers = loadableChunk(() => import('#src/features/channels/members-dialog.tsx'));

/** The parts that a button of the frame or of a row may open. They are loaded ahead, so that their first use doesn't wait either. */
const OPENED = [loadDrawer, loadAccountMenu, loadMissedCalls, loadRowMenu];
const foresight = atFirstSign(() => loadAhead(OPENED));

const SideDrawer = lazyComponent(async () => (await loadDrawer()).SideDrawer);
const MembersDialog = lazyComponent(async () => (await loadMembers()).MembersDialog);

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
  const { beside, canUnfold, setUnfolded } = useNavigationLayout();
  const [isOpen, drawer] = useDisclosure(false);
  const room = useCurrentRoom();
  const [panel, setPanel] = useState<KeyPanel>();
  const [managed, setManaged] = useState<ChannelId>();
  // Stay mounted once opened, so that their closing can be seen.
  const [isDrawerUsed, setDrawerUsed] = useState(false);
  const [isMembersUsed, setMembersUsed] = useState(false);
  if (isOpen && !isDrawerUsed) setDrawerUsed(true);
  if (managed !== undefined && !isMembersUsed) setMembersUsed(true);
  const pathname = useLocation({ select: (location) => location.pathname });
  // Renders the frame first, in one go. The first page renders in pieces, between which it responds.
  const isPageDue = useDeferredValue(true, false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer
  useEffect(drawer.close, [pathname]);
  useEffect(() => loadWhenIdle(OPENED), []);

  const manageUsers = () => {
    if (room === undefined) return;
    room.stopTalking();
    drawer.close();
    setManaged(room.channelId);
  };

  const shown = managed === room?.channelId ? managed : undefined;

  return (
    <div className={styles.shell} {...foresight}>
      <a className={styles.skip} href="#content">
        {t('skip')}
      </a>
      <TopBar
        menu={
          canUnfold
            ? { isBeside: true, isOpen: beside === 'full', toggle: () => setUnfolded(beside !== 'full') }
            : beside === 'full'
              ? undefined
              : { isBeside: false, isOpen, toggle: drawer.toggle }
        }
        onPanel={(wanted) => {
          room?.stopTalking();
          setPanel(wanted);
        }}
      />
      <Banners />
      <div className={styles.body}>
        {beside !== null && (
          <aside className={styles.side} data-rail={beside === 'rail' || undefined}>
            <LazySection>
              <Sidebar isRail={beside === 'rail'} onManageUsers={manageUsers} />
            </LazySection>
          </aside>
        )}
        {beside !== 'full' && isDrawerUsed && (
          <LazyOverlay isOpen={isOpen} onClose={drawer.close}>
            <SideDrawer isOpen={isOpen} onClose={drawer.close}>
              <Sidebar onNavigate={drawer.close} onManageUsers={manageUsers} />
            </SideDrawer>
          </LazyOverlay>
        )}
        <div className={styles.content} id="content" tabIndex={-1}>
          {isPageDue && children}
        </div>
      </div>
      <RoomBarSlot />
      <KeyPanels panel={panel} onPanel={setPanel} />
      {/* Outside the drawer, which closes when this opens. Mounted only while a room is shown. */}
      {isMembersUsed && (
        <LazyOverlay isOpen={shown !== undefined} onClose={() => setManaged(undefined)}>
          <MembersDialog channelId={shown} onClose={() => setManaged(undefined)} />
        </LazyOverlay>
      )}
    </div>
  );
}
