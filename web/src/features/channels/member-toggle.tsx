import { Button, Popover } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { addUserToChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { IconCheck, IconMinus, IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { CHANNELS_KEY, isMembersPage, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './channels.module.css';

export interface MemberToggleProps {
  userId: UserId;
  name: string;
  channelId: ChannelId;
  isMember: boolean;
  /** Whether the confirmation is open. */
  isAsking: boolean;
  onAsk: (isAsking: boolean) => void;
}

/** Adds a user to a channel or removes them. The confirmation is a popover, so that the rows don't move. */
export function MemberToggle({ userId, name, channelId, isMember, isAsking, onAsk }: MemberToggleProps) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const sureId = useId();
  const toggleRef = useRef<HTMLButtonElement>(null);
  const change = useMutation({
    mutationFn: (shouldAdd: boolean) =>
      api.call(shouldAdd ? addUserToChannel : deleteUserFromChannel, { userId, channelId }),
    onSuccess: async (_, wasAdded) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: CHANNELS_KEY }),
        queries.invalidateQueries({ queryKey: USERS_KEY, predicate: ({ queryKey }) => isMembersPage(queryKey) }),
      ]);
      notifications.show({ title: t(wasAdded ? 'member.added' : 'member.removed'), message: name });
      close();
    },
  });
  const close = () => {
    onAsk(false);
    toggleRef.current?.focus();
  };
  // Keeps the requested action while the row is updated.
  const shouldAdd = change.variables ?? !isMember;
  const Icon = isMember ? IconMinus : IconPlus;

  return (
    <span className={styles.membership}>
      {isMember && (
        <span className={styles.in}>
          <IconCheck size={16} aria-hidden="true" />
          <span>{t('member.in')}</span>
        </span>
      )}
      <Popover
        opened={isAsking}
        onChange={(isOpen) => !isOpen && close()}
        position="bottom-end"
        width={300}
        trapFocus
        withArrow
        closeOnClickOutside={!change.isPending}
      >
        <Popover.Target>
          <Button
            ref={toggleRef}
            size="compact-sm"
            variant="default"
            className={styles.toggle}
            leftSection={<Icon size={14} aria-hidden="true" />}
            aria-label={t(isMember ? 'member.removeName' : 'member.addName', { name })}
            onClick={() => {
              change.reset();
              onAsk(!isAsking);
            }}
          >
            <span className={styles.toggleWord}>{t(isMember ? 'member.remove' : 'member.add')}</span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-labelledby={sureId}>
          <div className={styles.sure}>
            <p>
              <strong id={sureId}>{t('member.sure')}</strong>
              {t(shouldAdd ? 'member.sureAdd' : 'member.sureRemove', { name })}
            </p>
            {change.isError && (
              <InlineError>
                {t(shouldAdd ? 'member.addFailed' : 'member.removeFailed')}. {words(change.error)}
              </InlineError>
            )}
            <div className={styles.sureActs}>
              <Button size="xs" variant="default" onClick={close}>
                {shared('cancel')}
              </Button>
              <Button size="xs" loading={change.isPending} onClick={() => change.mutate(shouldAdd)} data-autofocus>
                {t(shouldAdd ? 'member.yesAdd' : 'member.yesRemove')}
              </Button>
            </div>
          </div>
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}
