import { ActionIcon, Menu } from '@mantine/core';
import { getMissedCalls, type MissedCall, markCallsSeen } from '@pressel/contract/calls';
import { IconBell, IconPhone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useShownLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { useCallDesk, useCalls } from './call-context.tsx';
import type { CallDesk } from './call-desk.ts';
import { MISSED_CALLS_KEY } from './calls.realtime.ts';
import styles from './missed-calls.module.css';
import { askForNotices, canAskForNotices } from './use-ring-notice.ts';

/** How many calls were missed; opened it names them, and each calls back. */
export function MissedCalls() {
  const desk = useCallDesk();
  return desk === null ? null : <MissedMenu desk={desk} />;
}

function MissedMenu({ desk }: { desk: CallDesk }) {
  const { t } = useTranslation('calls');
  const api = useApi();
  const { missed } = useCalls(desk);
  const [isOpen, setOpen] = useState(false);
  const found = useQuery({
    queryKey: MISSED_CALLS_KEY,
    queryFn: async () => (await api.call(getMissedCalls, {})).res,
    // Before it is opened: a menu gives the focus to what is there.
    enabled: missed > 0,
  });
  // What was read before the last of them was seen is none any more.
  const calls = missed > 0 ? found.data : [];
  const newest = calls?.[0]?.id;
  const change = (next: boolean) => {
    if (next === isOpen) return;
    setOpen(next);
    // What stood in the list was seen; what came since wasn't.
    if (!next && newest !== undefined) void api.call(markCallsSeen, { callId: newest }).catch(() => undefined);
  };
  const label = missed === 0 ? t('missed.none') : t('missed.label', { count: missed });
  return (
    <Menu
      opened={isOpen}
      onChange={change}
      position="bottom-end"
      width={280}
      offset={4}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          size="lg"
          aria-label={label}
          title={label}
          className={styles.opener}
          onKeyDown={(event) => {
            // With nothing to choose the focus stays here.
            if (event.key === 'Escape') change(false);
          }}
        >
          <IconPhone size={18} aria-hidden="true" />
          {missed > 0 && (
            <span className={styles.badge} aria-hidden="true" data-missed-calls="">
              {missed > 99 ? '99+' : missed}
            </span>
          )}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={styles.list}>
        <Menu.Label>{t('missed.title')}</Menu.Label>
        {missed === 0 && <Menu.Item disabled>{t('missed.none')}</Menu.Item>}
        {calls === undefined && <Menu.Item disabled>{t('missed.loading')}</Menu.Item>}
        {calls?.map((call) => (
          <MissedItem key={call.id} call={call} desk={desk} />
        ))}
        {canAskForNotices() && (
          <>
            <Menu.Divider />
            <Menu.Item
              leftSection={<IconBell size={16} aria-hidden="true" />}
              onClick={() => void askForNotices().catch(() => undefined)}
            >
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
  return (
    <Menu.Item
      disabled={id === null}
      leftSection={<IconPhone size={16} aria-hidden="true" />}
      title={id === null ? undefined : t('back')}
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
