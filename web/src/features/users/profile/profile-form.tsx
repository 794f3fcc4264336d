import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { User } from '@pressel/contract/users';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { EditTop, LeaveGuard, TroubleNote } from '../form/form-parts.tsx';
import { useEditSubmit } from '../form/use-edit-submit.ts';
import { useTrouble } from '../form/use-trouble.ts';
import { useUserEdit } from '../form/use-user-edit.ts';
import { useUserSave } from '../form/use-user-save.ts';
import { TextField } from '../form/user-fields.tsx';
import forms from '../form/user-form.module.css';
import styles from './profile-page.module.css';

/** The user's own names, number and photo. */
export function ProfileForm({ start }: { start: User }) {
  const { t } = useTranslation('userForm');
  const words = useErrorWords();
  const edit = useUserEdit(start);
  const { form } = edit;
  const save = useUserSave(edit, {
    isByAdmin: false,
    onSaved: () => notifications.show({ message: t('profile.done') }),
  });
  const { text } = useTrouble(save.error);

  const submission = useEditSubmit(edit, save, () => notifications.show({ message: t('profile.unchanged') }));
  const { submit, summary } = submission;
  const reason = text ?? (summary && t(`fault.${summary}`));
  return (
    <form className={forms.form} onSubmit={submit} ref={form.ref} noValidate>
      <EditTop edit={edit} submission={submission} isSaving={save.isPending} />
      <div className={forms.grid}>
        <TextField form={form} field="firstName" autoComplete="given-name" isRequired />
        <TextField form={form} field="lastName" autoComplete="family-name" isRequired />
        <TextField form={form} field="pseudo" autoComplete="nickname" />
        <TextField form={form} field="phone" autoComplete="tel" />
      </div>
      {save.photoError !== undefined && (
        <TroubleNote trouble={{ title: t('edit.photoFailed'), text: words(save.photoError) }} />
      )}
      {reason !== undefined && <TroubleNote trouble={{ title: t('profile.failed'), text: reason }} />}
      <div className={styles.acts}>
        <Button type="submit" loading={save.isPending}>
          {t('profile.submit')}
        </Button>
      </div>
      <LeaveGuard isUnsaved={edit.isChanged} />
    </form>
  );
}
