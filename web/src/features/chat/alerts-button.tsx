import { ActionIcon, Button, Popover, Switch } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { IconBell, IconBellOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { askForNotices, noticePermission } from '#src/shared/system-notice.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { ALERTS } from './alert-choices.ts';
import { useChat } from './chat-context.tsx';
import styles from './messages-panel.module.css';

/** Chooses how a channel's messages call this user in this browser [CHATS57]. */
export function AlertsButton({ channelId }: { channelId: ChannelId }) {
  const { t } = useTranslation('chat');
  const { alerts } = useChat();
  const off = useSnapshot(alerts)[channelId] ?? [];
  const [isOpen, setOpen] = useState(false);
  const Icon = off.length === ALERTS.length ? IconBellOff : IconBell;
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width="min(340px, calc(100vw - 24px))"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          className={styles.tool}
          aria-label={t('alerts.title')}
          title={t('alerts.title')}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon size={20} aria-hidden="true" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('alerts.title')}>
        <div className={styles.alerts}>
          <h2 className={styles.alertsTitle}>{t('alerts.title')}</h2>
          {ALERTS.map((alert) => (
            <Switch
              key={alert}
              label={t(`alerts.${alert}`)}
              description={alert === 'mention' ? t('alerts.mentionMore') : undefined}
              checked={!off.includes(alert)}
              onChange={(event) => alerts.set(channelId, alert, event.currentTarget.checked)}
            />
          ))}
          {(!off.includes('notice') || !off.includes('mention')) && <NoticePermission />}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Says whether the browser shows notifications, and what to do if it doesn't. */
function NoticePermission() {
  const { t } = useTranslation('chat');
  const [permission, setPermission] = useState(noticePermission);
  switch (permission) {
    case 'granted':
      return null;
    case 'default':
      return (
        <Button variant="default" onClick={() => void askForNotices().then(setPermission)}>
          {t('alerts.allow')}
        </Button>
      );
    default:
      return (
        <p className={styles.alertsMore} role="status">
          {t(`alerts.${permission}`)}
        </p>
      );
  }
}
