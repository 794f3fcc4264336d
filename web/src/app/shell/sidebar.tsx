import { ActionIcon } from '@mantine/core';
import {
  IconBroadcast,
  IconLayoutDashboard,
  IconPlus,
  IconUserPlus,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '#src/shared/services.tsx';
import { Clock } from './clock.tsx';
import styles from './sidebar.module.css';

/** The clock and the places of the console; administrators also find the way to add things. */
export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation('app');
  const isAdmin = useUser().role === 'admin';
  return (
    <div className={styles.sidebar}>
      <Clock />
      <nav aria-label={t('nav.label')}>
        <ul className={styles.places}>
          <Place to="/dashboard" icon={IconLayoutDashboard} label={t('nav.dashboard')} onClick={onNavigate} />
          {isAdmin && (
            <Place to="/usersList" icon={IconUsers} label={t('nav.users')} onClick={onNavigate}>
              <AddLink to="/usersList" icon={IconUserPlus} label={t('nav.addUser')} onClick={onNavigate} />
            </Place>
          )}
          <Place to="/channelsList" icon={IconBroadcast} label={t('nav.channels')} onClick={onNavigate}>
            {isAdmin && (
              <AddLink
                to="/channelsList"
                search={{ panel: 'create' }}
                icon={IconPlus}
                label={t('nav.addChannel')}
                onClick={onNavigate}
              />
            )}
          </Place>
        </ul>
      </nav>
    </div>
  );
}

interface PlaceProps {
  to: '/dashboard' | '/usersList' | '/channelsList';
  icon: TablerIcon;
  label: string;
  onClick: (() => void) | undefined;
  children?: ReactNode;
}

function Place({ to, icon: Icon, label, onClick, children }: PlaceProps) {
  return (
    <li className={styles.place}>
      <Link to={to} className={styles.link} activeOptions={{ includeSearch: false }} {...(onClick ? { onClick } : {})}>
        <Icon size={18} stroke={1.7} aria-hidden="true" />
        {label}
      </Link>
      {children}
    </li>
  );
}

interface AddLinkProps extends Pick<PlaceProps, 'icon' | 'label' | 'onClick'> {
  to: '/usersList' | '/channelsList';
  search?: { panel: string };
}

function AddLink({ to, search, icon: Icon, label, onClick }: AddLinkProps) {
  return (
    <ActionIcon
      variant="subtle"
      className={styles.add}
      aria-label={label}
      title={label}
      onClick={onClick}
      renderRoot={(props) => <Link to={to} {...(search ? { search } : {})} {...props} />}
    >
      <Icon size={17} aria-hidden="true" />
    </ActionIcon>
  );
}
