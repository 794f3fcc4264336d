import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { addUserToChannel, deleteUserFromChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import type { User } from '@pressel/contract/users';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '#src/shared/api/users-query.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useApi } from '#src/shared/services.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './channels.module.css';

export interface MemberRowProps {
  user: User;
  channelId: ChannelId;
  isMember: boolean;
  /** The question 'Are you sure?' stands in this row. */
  isAsking: boolean;
  onAsk: (isAsking: boolean) => void;
}

/** One user and the toggle; the question is asked in place, so that the list stays where it is. */
export function MemberRow({ user, channelId, isMember, isAsking, onAsk }: MemberRowProps) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const toggleRef = useRef<HTMLButtonElement>(null);
  const name = fullName(user);

  const close = () => {
    onAsk(false);
    // After the row has its button back.
    requestAnimationFrame(() => toggleRef.current?.focus());
  };
  const change = useMutation({
    mutationFn: (shouldAdd: boolean) =>
      api.call(shouldAdd ? addUserToChannel : deleteUserFromChannel, { userId: user.id, channelId }),
    onSuccess: async (_, wasAdded) => {
      await queries.invalidateQueries({ queryKey: ['channels'] });
      notifications.show({ message: t(wasAdded ? 'member.added' : 'member.removed', { name }) });
      close();
    },
  });

  if (isAsking) {
    return (
      <li className={`${styles.person} ${styles.sure}`}>
        <span className={styles.sureText}>
          <strong>{t('member.sure')}</strong>
          {t(isMember ? 'member.sureRemove' : 'member.sureAdd', { name })}
        </span>
        <Button size="xs" variant="default" onClick={close}>
          {shared('cancel')}
        </Button>
        <Button
          size="xs"
          loading={change.isPending}
          onClick={() => change.mutate(!isMember)}
          ref={(button) => button?.focus()}
        >
          {t(isMember ? 'member.yesRemove' : 'member.yesAdd')}
        </Button>
        {change.isError && (
          <InlineError>
            {t(change.variables ? 'member.addFailed' : 'member.removeFailed')}. {words(change.error)}
          </InlineError>
        )}
      </li>
    );
  }
  return (
    <li className={styles.person}>
      <span className={styles.personName} dir="auto">
        {name}
      </span>
      <span className={styles.login}>{user.identifier}</span>
      {isMember && (
        <span className={styles.in}>
          <IconCheck size={14} aria-hidden="true" />
          {t('member.in')}
        </span>
      )}
      <Button
        ref={toggleRef}
        size="xs"
        variant="default"
        aria-label={t(isMember ? 'member.removeName' : 'member.addName', { name })}
        onClick={() => {
          change.reset();
          onAsk(true);
        }}
      >
        {t(isMember ? 'member.remove' : 'member.add')}
      </Button>
    </li>
  );
}
