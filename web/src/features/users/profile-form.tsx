import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { User } from '@pressel/contract/users';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '#src/shared/format/format.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { EditConflict, focusOpenChoice } from './edit-conflict.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { PhotoField } from './photo-field.tsx';
import styles from './profile-page.module.css';
import { TroubleNote } from './trouble-note.tsx';
import { useTrouble } from './use-trouble.ts';
import { useUserEdit } from './use-user-edit.ts';
import { useUserSave } from './use-user-save.ts';
import { TextField } from './user-fields.tsx';
import forms from './user-form.module.css';
import { faultsOfEdit, summaryOf, type UserValues } from './user-form.rules.ts';

/** One's own names, number and photo. */
export function ProfileForm({ start }: { start: User }) {
  const { t } = useTranslation('userForm');
  const words = useErrorWords();
  const edit = useUserEdit(start);
  const { form } = edit;
  const [mustChoose, setMustChoose] = useState(false);
  const save = useUserSave(edit, {
    isByAdmin: false,
    onSaved: () => notifications.show({ message: t('profile.done') }),
  });
  const { text } = useTrouble(save.error);

  const send = (values: UserValues) => {
    save.forget();
    if (!form.accept(faultsOfEdit(values))) return;
    if (edit.isChanged) save.start(values);
    else notifications.show({ message: t('profile.unchanged') });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isOpen = edit.differences.some(({ choice }) => choice === undefined);
    setMustChoose(isOpen);
    if (isOpen) focusOpenChoice(form.ref.current);
    else send(form.values);
  };

  const summary = summaryOf(form.faults) ?? (mustChoose ? 'choose' : undefined);
  const reason = text ?? (summary && t(`fault.${summary}`));
  return (
    <form className={forms.form} onSubmit={submit} ref={form.ref} noValidate>
      {edit.differences.length > 0 && (
        <EditConflict
          differences={edit.differences}
          onChoose={edit.choose}
          onReadAgain={() => {
            save.forget();
            setMustChoose(false);
            edit.readAgain();
          }}
          onSaveMine={() => send(edit.mine())}
          isSaving={save.isPending}
        />
      )}
      <PhotoField
        stored={edit.latest.photo_url}
        change={edit.photo}
        onChange={edit.setPhoto}
        name={fullName(edit.latest)}
      />
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
