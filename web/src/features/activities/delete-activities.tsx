import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { beginningOf, deleteOldActivities, type TimeFrame, timeFrame } from '@pressel/contract/activities';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useErrorWords, useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './activities.module.css';
import { ACTIVITIES_KEY, olderCount } from './activities.queries.ts';

/** The menu that deletes old entries, with its confirmation (spec §2). */
export function DeleteActivities() {
  const { t } = useTranslation('activityLog');
  const opener = useRef<HTMLButtonElement>(null);
  const [asked, ask] = useState<{ frame: TimeFrame; before: string; isOpen: boolean }>();
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button ref={opener} variant="default" leftSection={<IconTrash size={16} aria-hidden="true" />}>
            {t('delete.act')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('delete.menuLabel')}</Menu.Label>
          {timeFrame.options.map((frame) => (
            <Menu.Item
              key={frame}
              onClick={() => ask({ frame, before: beginningOf(frame, new Date()).toISOString(), isOpen: true })}
            >
              {t(`delete.menu.${frame}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {asked && (
        <DeleteQuestion
          key={asked.before}
          {...asked}
          onClose={() => ask({ ...asked, isOpen: false })}
          onClosed={() => {
            ask(undefined);
            opener.current?.focus();
          }}
        />
      )}
    </>
  );
}

interface DeleteQuestionProps {
  frame: TimeFrame;
  before: string;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
}

function DeleteQuestion({ frame, before, isOpen, onClose, onClosed }: DeleteQuestionProps) {
  const { t } = useTranslation('activityLog');
  const { t: shared } = useTranslation('shared');
  const { current } = useLanguage();
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const count = useQuery(olderCount(api, before));
  const remove = useMutation({
    // Deletes no more than the question announced, whatever the server's clock says by then.
    mutationFn: () => api.call(deleteOldActivities, { timeFrame: frame, before }),
    onSuccess: async () => {
      notifications.show({ title: t('delete.done'), message: t('delete.doneText') });
      onClose();
      await queries.invalidateQueries({ queryKey: ACTIVITIES_KEY });
    },
  });
  const amount = () => {
    if (count.isError) return words(count.error);
    if (count.data === undefined) return t('delete.counting');
    if (count.data === 0) return t('delete.none');
    return t('delete.count', { count: count.data, before: formatDateTime(before, current) });
  };
  // If the server refused, nothing was deleted.
  const failure = remove.isError && isUnreachable(remove.error) ? 'error' : 'failed';
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('delete.title')}
      confirmLabel={t('delete.act')}
      cancelLabel={shared('cancel')}
      isDestructive
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
      onClosed={onClosed}
    >
      <div className={styles.question}>
        <p>{t('delete.question', { period: t(`delete.period.${frame}`) })}</p>
        <p className={styles.amount} role="status">
          {amount()}
        </p>
        {count.data !== 0 && (
          <>
            <p>{t('delete.lost')}</p>
            <p>{t('delete.kept')}</p>
          </>
        )}
        {remove.isError && (
          <InlineError>
            <strong>{t(`delete.${failure}`)}</strong> <span>{t(`delete.${failure}Text`)}</span>{' '}
            <span>{words(remove.error)}</span>
          </InlineError>
        )}
      </div>
    </ConfirmDialog>
  );
}
