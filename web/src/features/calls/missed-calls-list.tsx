import { Menu } from '@mantine/core';
import type { MissedCall } from '@pressel/contract/calls';
import { IconBell, IconPhone } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { askForNotices, canAskForNotices } from '#src/shared/system-notice.ts';
import type { CallDesk } from './call-desk.ts';
import styles from './missed-calls.module.css';
import { useIsCalling } from './use-is-calling.ts';

export interface MissedCallsListProps {
  button: ReactElement;
  desk: CallDesk;
  /** How many were missed. */
  missed: number;
  /** Undefined while they are read. */
  calls: readonly MissedCall[] | undefined;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** The button of missed calls with their names; each calls back. */
export function MissedCallsList({ button, desk, missed, calls, isOpen, onOpen }: MissedCallsListProps) {
  const { t } = useTranslation('calls');
  return (
    <Menu
      opened={isOpen}
      onChange={onOpen}
      position="bottom-end"
      width={280}
      offset={4}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown className={styles.list}>
        <Menu.Label>{t('missed.title')}</Menu.Label>
        {missed === 0 && (
          <Menu.Item disabled className={styles.told}>
            {t('missed.none')}
          </Menu.Item>
        )}
        {calls === undefined && (
          <Menu.Item disabled className={styles.told}>
            {t('missed.loading')}
          </Menu.Item>
        )}
        {calls?.map((call) => (
          <MissedItem key={call.id} call={call} desk={desk} />
        ))}
        {canAskForNotices() && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<IconBell size={16} aria-hidden="true" />} onClick={() => void askForNotices()}>
              {t('notices')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function MissedItem({ call: { caller, createdAt }, desk }: { call: MissedCall; desk: CallDesk }) {
  const { t } = useTranslation('calls');
  const language = useShownLanguage();
  const { id, display_name: name } = caller;
  const isCalling = useIsCalling(desk);
  return (
    <Menu.Item
      disabled={id === null || isCalling}
      leftSection={<IconPhone size={16} aria-hidden="true" />}
      title={id === null ? undefined : t(isCalling ? 'end.in_a_call' : 'back')}
      classNames={{ itemLabel: styles.label ?? '' }}
      onClick={() => id !== null && desk.start({ id, name })}
    >
      <span className={styles.name}>
        <bdi>{name}</bdi>
      </span>
      <time className={styles.time} dateTime={createdAt}>
        {formatDateTime(createdAt, language)}
      </time>
    </Menu.Item>
  );
}
