import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { fullName } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ConfirmDialog } from '#src/shared/ui/confirm-dialog.tsx';
import { FormActs, type FormHandle } from '#src/shared/ui/form-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { EditConflict } from './edit-conflict.tsx';
import { PhotoField } from './photo-field.tsx';
import type { UserEdit } from './use-user-edit.ts';
import type { EditSubmit } from './use-user-save.ts';
import styles from './user-form.module.css';

/** Asks before the user leaves a page with unsaved work. */
export function LeaveGuard({ isUnsaved }: { isUnsaved: boolean }) {
  const { t } = useTranslation('shared');
  const leaving = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
    disabled: !isUnsaved,
  });
  return (
    <ConfirmDialog
      isOpen={leaving.status === 'blocked'}
      title={t('unsaved.title')}
      confirmLabel={t('unsaved.discard')}
      cancelLabel={t('unsaved.stay')}
      onConfirm={() => leaving.proceed?.()}
      onCancel={() => leaving.reset?.()}
    >
      {t('unsaved.text')}
    </ConfirmDialog>
  );
}

interface EditTopProps {
  edit: UserEdit;
  submission: EditSubmit;
  isSaving: boolean;
}

/** The common top of both account forms: changes that somebody else made meanwhile, and the photo. */
export function EditTop({ edit, submission, isSaving }: EditTopProps) {
  return (
    <>
      {edit.differences.length > 0 && (
        <EditConflict
          changer={edit.changer}
          differences={edit.differences}
          onChoose={submission.choose}
          onReadAgain={submission.readAgain}
          onSaveMine={() => submission.send(edit.mine())}
          isSaving={isSaving}
        />
      )}
      <PhotoField
        stored={edit.latest.photo_url}
        change={edit.photo}
        onChange={edit.setPhoto}
        name={fullName(edit.latest)}
      />
    </>
  );
}

interface FormFootProps {
  dialog: Pick<FormHandle, 'cancel'>;
  /** The error beside the buttons, which are visible wherever the form is scrolled to. */
  trouble: Trouble | undefined;
  children: ReactNode;
}

/** The foot of a long form, always in sight. */
export function FormFoot({ dialog, trouble, children }: FormFootProps) {
  return (
    <div className={styles.foot}>
      {trouble && <TroubleNote trouble={trouble} />}
      <FormActs form={dialog}>{children}</FormActs>
    </div>
  );
}

export interface Trouble {
  title?: string | undefined;
  text: string;
}

/** Shows what failed, and why. */
export function TroubleNote({ trouble }: { trouble: Trouble }) {
  return (
    <InlineError>
      {trouble.title !== undefined && <strong className={styles.troubleTitle}>{trouble.title}</strong>}
      {trouble.text}
    </InlineError>
  );
}
