import { UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { loadableChunk } from '#src/shared/renewal.ts';
import { useUser } from '#src/shared/services.tsx';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
import styles from './top-bar.module.css';

/** Loads the account menu's code ahead of time. */
export const loadAccountMenu = loadableChunk(() => import('./account-menu-list.tsx'));

/** Shows the signed-in user. Opened, it offers language, colour scheme, and log-out. */
export function AccountMenu({ onKeys }: { onKeys: () => void }) {
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
