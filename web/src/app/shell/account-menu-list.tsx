import { Menu, useMantineColorScheme } from '@mantine/core';
import { logOut } from '@pressel/contract/auth';
import { IconBook2, IconDownload, IconKeyboard, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Installing } from '#src/shared/installing.ts';
import { LANGUAGE_LABELS, LANGUAGES, language } from '#src/shared/languages.ts';
import { useServices, useUser } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { useIsTouch } from '#src/shared/ui/use-is-narrow.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import styles from './top-bar.module.css';

const SCHEMES = ['auto', 'light', 'dark'] as const;

export interface AccountMenuListProps {
  button: ReactElement;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** Called when the user stays signed in, to move the focus back to the menu's button. */
  onStay: () => void;
  /** Shows the keys. */
  onKeys: () => void;
}

/** The button of the account with its menu: profile, language, colour scheme, log-out. */
export function AccountMenuList({ button, isOpen, onOpen, onStay, onKeys }: AccountMenuListProps) {
  const { t } = useTranslation('app');
  const { t: shared } = useTranslation('shared');
  const user = useUser();
  const { current, choose } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isTouch = useIsTouch();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      {/* No focus placeholder: role=menu allows only menu items as children (ARIA 1.2). */}
      <Menu
        opened={isOpen}
        onChange={onOpen}
        position="bottom-end"
        width={232}
        offset={4}
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <span className={styles.who}>{user.identifier}</span>
            <span className={styles.role}>{t(`account.${user.role}`)}</span>
          </Menu.Label>
          <Menu.Item
            leftSection={<IconUserCircle size={16} aria-hidden="true" />}
            renderRoot={(props) => <Link to="/profile" {...props} />}
          >
            {t('account.profile')}
          </Menu.Item>
          {user.role === 'admin' && (
            <Menu.Item
              leftSection={<IconBook2 size={16} aria-hidden="true" />}
              // The server serves this page, not the app. It opens in a tab of its own, so that an entered room goes
              // on.
              renderRoot={(props) => <a href="/docs" target="_blank" rel="noreferrer" {...props} />}
            >
              {t('account.reference')}
            </Menu.Item>
          )}
          {!isTouch && (
            <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden="true" />} onClick={onKeys}>
              {t('account.keys')}
            </Menu.Item>
          )}
          <InstallItem />
          <Menu.Divider />
          <Menu.Label>{shared('language.label')}</Menu.Label>
          <Menu.RadioGroup value={current} onChange={(value) => choose(language.parse(value))}>
            {LANGUAGES.map((one) => (
              <Menu.RadioItem key={one} value={one} lang={one}>
                {LANGUAGE_LABELS[one].name}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Label>{shared('scheme.label')}</Menu.Label>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(value) => setColorScheme(SCHEMES.find((one) => one === value) ?? 'auto')}
          >
            {SCHEMES.map((one) => (
              <Menu.RadioItem key={one} value={one}>
                {shared(`scheme.${one}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden="true" />} onClick={() => setAsking(true)}>
            {t('account.logout')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <LogoutDialog
        isOpen={isAsking}
        onClose={() => {
          setAsking(false);
          // The menu item that had the focus is unmounted.
          onStay();
        }}
      />
    </>
  );
}

/**
 * Shown while the browser offers to install the app. Not where it is installed already, nor in browsers with a way of
 * their own.
 */
function InstallItem() {
  const { t } = useTranslation('app');
  const { installing = NOT_OFFERED } = useServices();
  if (!useSnapshot(installing)) return null;
  return (
    <Menu.Item leftSection={<IconDownload size={16} aria-hidden="true" />} onClick={installing.install}>
      {t('account.install')}
    </Menu.Item>
  );
}

const NOT_OFFERED: Installing = {
  getSnapshot: () => false,
  subscribe: () => () => undefined,
  install: () => undefined,
};

/** Confirms (spec §8), then ends the session here at once, and on the server if it can be reached [AUTH23]. */
function LogoutDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('app');
  const { api, session, storage } = useServices();
  const user = useUser();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('logout.title')}
      confirmLabel={t('logout.confirm')}
      cancelLabel={t('logout.cancel')}
      onCancel={onClose}
      onConfirm={() => {
        // On an unreachable server the session expires by itself.
        api.call(logOut, { userId: user.id }, { leaving: storage.readToken() }).catch(() => undefined);
        // At once: a read that the server answers after the end of the session would be refused.
        session.end('chosen');
      }}
    >
      {t('logout.text')}
    </ConfirmDialog>
  );
}
