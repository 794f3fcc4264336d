import { notifications } from '@mantine/notifications';
import { createMultipleChannels } from '@pressel/contract/transfer';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import styles from '../transfer.module.css';

export interface MakeChannelsProps {
  /** The names to create; empty while nothing is asked. */
  names: readonly string[];
  /** Called with the names that exist now. */
  onMade: (names: readonly string[]) => void;
  onCancel: () => void;
}

/** Creates channels that rows name and the server doesn't have, before the rows are sent (IMP30). */
export function MakeChannels({ names, onMade, onCancel }: MakeChannelsProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  const words = useErrorWords();
  const api = useApi();
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: () => api.call(createMultipleChannels, { channelData: names.map((name) => ({ name })) }),
    onSuccess({ rejectedChannels }) {
      const refused = new Set(rejectedChannels.map(({ row }) => row));
      onMade(names.filter((_, index) => !refused.has(index + 1)));
      void queries.invalidateQueries();
    },
    onError(error) {
      notifications.show({ title: t('make.failed'), message: words(error) });
      onCancel();
    },
  });
  return (
    <ConfirmDialog
      isOpen={names.length > 0}
      title={t('make.title', { count: names.length })}
      confirmLabel={t('make.confirm')}
      cancelLabel={shared('cancel')}
      isBusy={making.isPending}
      onConfirm={() => making.mutate()}
      onCancel={onCancel}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: must be scrollable by keyboard */}
      <ul className={styles.list} tabIndex={0} aria-label={t('title.channels')}>
        {names.map((name) => (
          <li key={name} className={styles.item}>
            <bdi className={styles.itemName}>{name}</bdi>
          </li>
        ))}
      </ul>
      <p className={styles.dim}>{t('make.text')}</p>
    </ConfirmDialog>
  );
}
