import { Button } from '@mantine/core';
import { IconDownload, IconKey } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSession } from '#src/shared/services.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { useSaveWorkbook } from '../export/use-save-workbook.ts';
import { type CellsOf, passwordSheetOf } from '../sheet/transfer-sheets.ts';
import styles from '../transfer.module.css';

export interface MadePasswordsProps {
  /** The accounts that were created with a generated password, at least one. */
  accounts: readonly CellsOf[];
  /** Called when they were written. */
  onSave: () => void;
}

/** Saves the generated passwords, which nothing shows again. */
export function MadePasswords({ accounts, onSave }: MadePasswordsProps) {
  const { t } = useTranslation('transfer');
  const { t: file } = useTranslation('exports');
  const { save, isSaving } = useSaveWorkbook();
  return (
    <section className={styles.draft} aria-label={t('field.password')}>
      <IconKey size={18} aria-hidden="true" />
      <p className={styles.draftText}>{t('done.passwords', { count: accounts.length })}</p>
      <Button
        loading={isSaving}
        leftSection={<IconDownload size={16} aria-hidden="true" />}
        onClick={() =>
          save(file('file.passwords'), async () => [passwordSheetOf(file('file.sheetUsers'), accounts)], onSave)
        }
      >
        {t('done.passwordsSave')}
      </Button>
    </section>
  );
}

/** Asks before the user leaves the only page that has the generated passwords, by a link or by closing the page. */
export function MadePasswordsGuard() {
  const session = useSession();
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && session.getSnapshot().state === 'signedIn',
    enableBeforeUnload: true,
    withResolver: true,
  });
  return (
    <LosePasswords
      isOpen={leaving.status === 'blocked'}
      onConfirm={() => leaving.proceed?.()}
      onCancel={() => leaving.reset?.()}
    />
  );
}

export interface LosePasswordsProps {
  isOpen: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before generated passwords that were not saved are lost. */
export function LosePasswords({ isOpen, onConfirm, onCancel }: LosePasswordsProps) {
  const { t } = useTranslation('transfer');
  const { t: shared } = useTranslation('shared');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('done.passwordsTitle')}
      confirmLabel={t('done.passwordsLeave')}
      cancelLabel={shared('cancel')}
      isDestructive
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      {t('done.passwordsLost')}
    </ConfirmDialog>
  );
}
