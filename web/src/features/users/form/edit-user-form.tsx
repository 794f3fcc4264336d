import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { EDIT_PICK_SIZES } from '@pressel/contract/limits';
import type { User } from '@pressel/contract/users';
import { fullName } from '#src/shared/format/format.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { changedBy } from '#src/shared/last-changer.ts';
import { ChannelPicker } from '#src/shared/lists/channel-picker.tsx';
import { useUser } from '#src/shared/services.tsx';
import { type FormHandle, useCover, useUnsaved } from '#src/shared/ui/form-dialog.tsx';
import type { HandedAccount } from './account-card.tsx';
import { EditTop, FormFoot, type Trouble } from './form-parts.tsx';
import { useEditSubmit } from './use-edit-submit.ts';
import { useTrouble } from './use-trouble.ts';
import { useUserEdit } from './use-user-edit.ts';
import { useUserSave } from './use-user-save.ts';
import { MapSwitch, PasswordPair, RoleField, TextField } from './user-fields.tsx';
import styles from './user-form.module.css';
import { VerifyPasswordDialog } from './verify-password-dialog.tsx';

export interface EditUserFormProps {
  start: User;
  dialog: FormHandle;
  /** Called when somebody else has a new password to be handed over. */
  onHandOver: (account: HandedAccount) => void;
}

/** The whole account, as an administrator changes it. */
export function EditUserForm({ start, dialog, onHandOver }: EditUserFormProps) {
  const { t } = useTranslation('userForm');
  const words = useErrorWords();
  const isOwn = useUser().id === start.id;
  const edit = useUserEdit(start);
  const { form } = edit;
  const save = useUserSave(edit, {
    isByAdmin: true,
    onSaved: (password) => {
      const name = fullName({ ...edit.latest, ...edit.form.values });
      notifications.show({ title: t('edit.done'), message: name });
      if (password === '' || isOwn) dialog.close();
      else onHandOver({ name, login: start.identifier, password });
    },
  });
  const { refusals, text } = useTrouble(save.error);
  useUnsaved(dialog, edit.isChanged);
  useCover(dialog, save.proof.isWanted);

  const submission = useEditSubmit(edit, save, dialog.close);
  const { submit, summary } = submission;
  const gone = save.channelsGone > 0 ? t('channelsGone', { count: save.channelsGone }) : undefined;
  const reason = gone ?? text ?? (summary && t(`fault.${summary}`));
  const trouble: Trouble | undefined =
    save.photoError !== undefined
      ? { title: t('edit.photoFailed'), text: words(save.photoError) }
      : reason !== undefined
        ? { title: t('edit.failed'), text: reason }
        : // The choice is at the top of the form, which may be out of sight.
          edit.differences.length > 0
          ? { title: t(`conflict.${changedBy(edit.changer)}`, { name: edit.changer?.name }), text: t('conflict.text') }
          : undefined;
  return (
    <>
      <form className={styles.form} onSubmit={submit} ref={form.ref} noValidate>
        <EditTop edit={edit} submission={submission} isSaving={save.isPending} />
        <div className={styles.sides}>
          <div className={styles.side}>
            <div className={styles.grid}>
              <TextField form={form} field="firstName" autoComplete="off" isRequired isFirst />
              <TextField form={form} field="lastName" autoComplete="off" isRequired />
              <TextField form={form} field="login" autoComplete="off" isReadOnly description={t('loginFixed')} />
              <TextField form={form} field="pseudo" autoComplete="off" />
            </div>
            <PasswordPair
              form={form}
              refusals={refusals}
              label={t('field.newPassword')}
              isOptional
              canGenerate={!isOwn}
            />
            <div className={styles.grid}>
              <TextField form={form} field="phone" autoComplete="off" />
              <MapSwitch form={form} />
              <RoleField form={form} refusals={refusals} isOwn={isOwn} />
            </div>
          </div>
          <ChannelPicker title={t('field.channels')} picked={edit.picked} onPick={edit.pick} sizes={EDIT_PICK_SIZES} />
        </div>
        <FormFoot dialog={dialog} trouble={trouble}>
          <Button type="submit" loading={save.isPending}>
            {t('edit.submit')}
          </Button>
        </FormFoot>
      </form>
      {/* Beside the form, not in it: submitting the dialog would also submit the form. */}
      <VerifyPasswordDialog
        isOpen={save.proof.isWanted}
        isAgain
        name={fullName(edit.latest)}
        onVerified={() => {
          if (!save.proof.given()) submit();
        }}
        onClose={save.proof.declined}
      />
    </>
  );
}
