import { Button, Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type Channel, deleteChannel } from '@pressel/contract/channels';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { memberName, nameDirection } from '#src/shared/format/format.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { CHANNELS_KEY } from '#src/shared/lists/lists.queries.ts';
import { isInRoom } from '#src/shared/lists/member-order.ts';
import { useApi } from '#src/shared/services.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './channels.module.css';
import { channelQuery, peopleInRoom } from './channels.queries.ts';

export interface DeleteChannelDialogProps {
  /** Undefined while closed. */
  channel: Channel | undefined;
  onClose: () => void;
}

/** Confirms the deletion of a channel: tells its number of members and who is in its room. */
export function DeleteChannelDialog({ channel, onClose }: DeleteChannelDialogProps) {
  const { t } = useTranslation('channels');
  // Stays set until the next deletion is cancelled: a change during the closing would give the focus back after all.
  const [isDeleted, setDeleted] = useState(false);
  const cancel = () => {
    setDeleted(false);
    onClose();
  };
  return (
    <Modal
      opened={channel !== undefined}
      onClose={cancel}
      // The focus doesn't return to the row: rows keep their places while the focus is among them, even deleted ones.
      returnFocus={!isDeleted}
      onExitTransitionEnd={() => {
        if (isDeleted) document.querySelector<HTMLElement>('main input[type=search]')?.focus();
      }}
      title={t('delete.title')}
      withCloseButton={false}
      centered
      size="md"
    >
      {channel && (
        <DeleteChannel
          key={channel.id}
          channel={channel}
          onClose={cancel}
          onDeleted={() => {
            setDeleted(true);
            onClose();
          }}
        />
      )}
    </Modal>
  );
}

/** Maximum number of connected members listed by name; the rest is a count. */
const NAMED = 5;

interface DeleteChannelProps {
  channel: Channel;
  onClose: () => void;
  onDeleted: () => void;
}

function DeleteChannel({ channel, onClose, onDeleted }: DeleteChannelProps) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const remove = useMutation({
    mutationFn: () => api.call(deleteChannel, { channelId: channel.id }),
    onSuccess: async () => {
      notifications.show({ title: t('delete.done'), message: channel.name });
      onDeleted();
      await queries.invalidateQueries({ queryKey: CHANNELS_KEY });
    },
  });
  // Read separately, because the list behind may show another page by now.
  const latest = useQuery({ ...channelQuery(api, channel.id), placeholderData: channel });
  const { userCount, connected } = latest.data ?? channel;
  const here = useQuery({
    ...peopleInRoom(api, channel.id, NAMED),
    // Not read during the deletion: the read could fail with not_found.
    enabled: connected > 0 && !remove.isPending && !remove.isSuccess,
  });
  const names = (here.data?.rows ?? []).filter((one) => isInRoom(one, channel.id));
  // Somebody else has already deleted it, which counts as success.
  const isGone = latest.data === null || (remove.isError && errorCodeOf(remove.error) === 'not_found');

  return (
    <div className={styles.form}>
      <p className={styles.question}>{t('delete.question', { name: channel.name })}</p>
      {isGone ? (
        <p role="alert">{t('gone')}</p>
      ) : (
        <ul className={styles.consequences}>
          <li>{t('delete.members', { count: userCount })}</li>
          <li>
            {connected === 0 ? t('delete.nobody') : t('delete.connected', { count: connected })}
            {connected > 0 && names.length > 0 && (
              <span className={styles.names}>
                {names.slice(0, NAMED).map((one) => (
                  <span key={one.id} dir={nameDirection(memberName(one))}>
                    {memberName(one)}
                  </span>
                ))}
                {connected > names.length && <span>{t('delete.others', { count: connected - names.length })}</span>}
              </span>
            )}
          </li>
          <li>{t('delete.kept')}</li>
        </ul>
      )}
      {remove.isError && !isGone && (
        <InlineError>
          <strong>{t('delete.oops')}</strong> {t('delete.wrong')} {t('delete.again')} {words(remove.error)}
        </InlineError>
      )}
      <div className={styles.acts}>
        <Button variant="default" onClick={onClose} data-autofocus>
          {isGone ? shared('close') : shared('cancel')}
        </Button>
        {!isGone && (
          <Button color="fault" onClick={() => remove.mutate()} loading={remove.isPending}>
            {t('delete.confirm')}
          </Button>
        )}
      </div>
    </div>
  );
}
