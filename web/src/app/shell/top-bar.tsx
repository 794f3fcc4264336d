import { ActionIcon, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconMenu2, IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { MissedCalls } from '#src/features/calls/missed-calls.tsx';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { loadableChunk } from '#src/shared/renewal.ts';
import { useUser } from '#src/shared/services.tsx';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import { Brand } from '#src/shared/ui/brand.tsx';
import { NewVersion } from '#src/shared/ui/new-version.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
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

/** Loads the account menu's code ahead of time. */
export const loadAccountMenu = loadableChunk(() => import('./account-menu-list.tsx'));

/** Shows the signed-in user. Opened, it offers language, colour scheme, and log-out. */
function AccountMenu({ onKeys }: { onKeys: () => void }) {
  const { t } = useTranslation('app');
  const user = useUser();
  const { buttonRef, made, isOpen, setOpen, opens } = useMadeMenu(loadAccountMenu);
  const name = `${user.firstName} ${user.lastName}`.trim() || user.identifier;
  const button = (
    <UnstyledButton ref={buttonRef} className={styles.account} aria-label={t('account.menu', { name })} {...opens}>
      <Avatar size={26} photo={user.photo_url} name={name} />
      <span className={styles.name} dir="auto" title={name}>
        {name}
      </span>
      <IconChevronDown size={16} aria-hidden="true" />
    </UnstyledButton>
  );
  if (made === undefined) return button;
  return (
    <made.AccountMenuList
      button={button}
      isOpen={isOpen}
      onOpen={setOpen}
      onStay={() => buttonRef.current?.focus()}
      onKeys={onKeys}
    />
  );
}
