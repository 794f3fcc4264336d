import { ActionIcon } from '@mantine/core';
import {
  IconBroadcast,
  IconHistory,
  IconLayoutDashboard,
  IconPlus,
  IconUserPlus,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { ChannelUsers, ManageUsersButton } from '#src/features/channels/channel-users.tsx';
import { useCurrentRoom, useIsOnRoomPage } from '#src/features/room/current-room.tsx';
import { formatClock, formatDay } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { useUser } from '#src/shared/services.tsx';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import clockStyles from './clock.module.css';
import styles from './sidebar.module.css';

const SideRoomMembers = lazyComponent(async () => (await import('./side-room-members.tsx')).SideRoomMembers);

export interface SidebarProps {
  /** Shows icons alone. */
  isRail?: boolean;
  /** Called when a link was followed. */
  onNavigate?: () => void;
  /** Opens the dialog that adds users to the room's channel and removes them. */
  onManageUsers: () => void;
}

/** Clock and navigation; for administrators also the log, and links that add users and channels. */
export function Sidebar({ isRail = false, onNavigate, onManageUsers }: SidebarProps) {
  const { t } = useTranslation('app');
  const isAdmin = useUser().role === 'admin';
  const room = useCurrentRoom();
  const isInRoom = useIsOnRoomPage();
  return (
    <div className={styles.sidebar} data-rail={isRail || undefined}>
      {!isRail && <Clock />}
      <nav aria-label={t('nav.label')}>
        <ul className={styles.places}>
          <NavItem
            to="/dashboard"
            icon={IconLayoutDashboard}
            label={t('nav.dashboard')}
            isRail={isRail}
            onClick={onNavigate}
          />
          {isAdmin && (
            <NavItem to="/usersList" icon={IconUsers} label={t('nav.users')} isRail={isRail} onClick={onNavigate}>
              <AddLink to="/usersList" icon={IconUserPlus} label={t('nav.addUser')} onClick={onNavigate} />
            </NavItem>
          )}
          <NavItem
            to="/channelsList"
            icon={IconBroadcast}
            label={t('nav.channels')}
            isRail={isRail}
            onClick={onNavigate}
            isWithin={isInRoom}
          >
            {isAdmin && <AddLink to="/channelsList" icon={IconPlus} label={t('nav.addChannel')} onClick={onNavigate} />}
          </NavItem>
          {isAdmin && (
            <NavItem
              to="/activities"
              icon={IconHistory}
              label={t('nav.activities')}
              isRail={isRail}
              onClick={onNavigate}
            />
          )}
        </ul>
      </nav>
      {room && isRail && isAdmin && <ManageUsersButton className={styles.manage} onManage={onManageUsers} />}
      {room && !isRail && (
        <ChannelUsers
          key={room.channelId}
          channelId={room.channelId}
          fallbackName={room.name}
          onManage={isAdmin ? onManageUsers : undefined}
        >
          <LazySection>
            <SideRoomMembers room={room} onNavigate={onNavigate} />
          </LazySection>
        </ChannelUsers>
      )}
    </div>
  );
}

interface NavItemProps {
  to: '/dashboard' | '/usersList' | '/channelsList' | '/activities';
  icon: TablerIcon;
  label: string;
  isRail: boolean;
  onClick: (() => void) | undefined;
  /** The current page is below this one. */
  isWithin?: boolean;
  children?: ReactNode;
}

function NavItem({ to, icon: Icon, label, isRail, onClick, isWithin = false, children }: NavItemProps) {
  return (
    <li className={styles.place}>
      <ButtonTooltip label={label} isOff={!isRail} side="right">
        <Link
          to={to}
          className={styles.link}
          activeOptions={{ includeSearch: false }}
          {...(isWithin ? { 'aria-current': 'true' as const } : {})}
          {...(onClick ? { onClick } : {})}
        >
          <Icon size={18} stroke={1.7} aria-hidden="true" />
          <span className={isRail ? 'spoken' : undefined}>{label}</span>
        </Link>
      </ButtonTooltip>
      {!isRail && children}
    </li>
  );
}

interface AddLinkProps extends Pick<NavItemProps, 'icon' | 'label' | 'onClick'> {
  to: '/usersList' | '/channelsList';
}

/** A link that opens the 'create' form over its list. */
function AddLink({ to, icon: Icon, label, onClick }: AddLinkProps) {
  return (
    <ActionIcon
      variant="subtle"
      className={styles.add}
      aria-label={label}
      title={label}
      onClick={onClick}
      renderRoot={(props) => <Link to={to} search={{ panel: 'create' }} {...props} />}
    >
      <Icon size={17} aria-hidden="true" />
    </ActionIcon>
  );
}

/** Time and date, updated each second. */
function Clock() {
  const { current } = useLanguage();
  const now = useNow();
  return (
    <div className={clockStyles.clock}>
      <time className={clockStyles.time} dateTime={new Date(now).toISOString()}>
        {formatClock(now, current)}
      </time>
      <span className={clockStyles.day}>{formatDay(now, current)}</span>
    </div>
  );
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      const time = Date.now();
      setNow(time);
      // Timeout to the next full second: an interval drifts and sometimes skips one.
      timer = setTimeout(tick, 1000 - (time % 1000));
    };
    tick();
    return () => clearTimeout(timer);
  }, []);
  return now;
}
