import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { getPasswordProof } from '@pressel/contract/auth';
import { userId } from '@pressel/contract/ids';
import { EDIT_PICK_SIZES } from '@pressel/contract/limits';
import type { User } from '@pressel/contract/users';
import { IconUserOff } from '@tabler/icons-react';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { fullName } from '#src/shared/format/format.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChannelPicker } from '#src/shared/lists/pickers.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { changedBy } from '#src/shared/ui/conflict-frame.tsx';
import { FormDialog, type FormHandle, useCover, useUnsaved } from '#src/shared/ui/form-dialog.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { AccountCard, type HandedAccount } from './account-card.tsx';
import { EditTop, FormFoot, type Trouble } from './form-parts.tsx';
import { useUserEdit } from './use-user-edit.ts';
import { useEditSubmit, useUserSave } from './use-user-save.ts';
import { MapSwitch, PasswordPair, RoleField, TextField, useTrouble } from './user-fields.tsx';
import styles from './user-form.module.css';
import { userQuery } from './user-form.queries.ts';
import { VerifyPasswordDialog } from './verify-password-dialog.tsx';

export interface EditUserDialogProps {
  /** The id of the user, from the address. Undefined: closed. */
  id: string | undefined;
  onClose: () => void;
  /** Called when password dialog and form are gone from the screen, to give the focus back. */
  onClosed: () => void;
}

/**
 * Asks for the administrator's own password, and then lets them change the account (spec §6). Doesn't ask if they gave
 * it lately and wished not to be asked again (AUTH14).
 */
export function EditUserDialog({ id, onClose, onClosed }: EditUserDialogProps) {
  const { t } = useTranslation('userForm');
  const [verified, setVerified] = useState<string>();
  // The address may close it as well: a user who returns is asked again.
  if (verified !== undefined && verified !== id) setVerified(undefined);
  const account = useAccount(id);
  // An account that no longer exists needs no protection. This is kept, because the next try to read it forgets the
  // answer.
  if (id !== undefined && verified !== id && errorCodeOf(account.error) === 'not_found') setVerified(id);
  const isOpen = id !== undefined && verified === id;
  const proof = useKeptProof(isOpen ? undefined : id);
  if (id !== undefined && !isOpen && proof === 'kept') setVerified(id);
  const title = account.data ? t('edit.titleOf', { name: fullName(account.data) }) : t('edit.title');
  return (
    <>
      <VerifyPasswordDialog
        isOpen={id !== undefined && !isOpen && proof === 'none'}
        name={account.data && fullName(account.data)}
        onVerified={() => setVerified(id)}
        onClose={onClose}
        onClosed={() => {
          if (id === undefined) onClosed();
        }}
      />
      {/* It opens from a dialog that is gone by then, so it can't know where the focus came from. */}
      <FormDialog isWide isOpen={isOpen} title={title} onClose={onClose} onClosed={onClosed}>
        {(dialog) => <EditUser id={id} dialog={dialog} />}
      </FormDialog>
    </>
  );
}

function EditUser({ id, dialog }: { id: string | undefined; dialog: FormHandle }) {
  const { t } = useTranslation('userForm');
  const { t: shared } = useTranslation('shared');
  const account = useAccount(id);
  const [handed, setHanded] = useState<HandedAccount>();
  if (handed !== undefined) return <AccountCard account={handed} onDone={dialog.close} />;
  if (errorCodeOf(account.error) === 'not_found')
    return (
      <Notice
        icon={IconUserOff}
        title={t('edit.gone')}
        acts={
          <Button variant="default" onClick={dialog.close}>
            {shared('close')}
          </Button>
        }
      >
        {t('edit.goneText')}
      </Notice>
    );
  if (account.data !== undefined) {
    return <EditUserForm key={account.data.id} start={account.data} dialog={dialog} onHandOver={setHanded} />;
  }
  if (account.isError) return <LoadError error={account.error} onRetry={() => void account.refetch()} />;
  return <RowsSkeleton rows={8} />;
}

/** Whether the server keeps a proof, read anew for each editing. If the server can't say, there is none. */
function useKeptProof(id: string | undefined): 'asking' | 'kept' | 'none' {
  const api = useApi();
  const proof = useQuery({
    queryKey: ['proof', id],
    queryFn: async ({ signal }) => (await api.call(getPasswordProof, {}, { signal })).isKept,
    enabled: id !== undefined,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  if (proof.isError) return 'none';
  return proof.data === undefined ? 'asking' : proof.data ? 'kept' : 'none';
}

/** Reads the account of an address; an invalid id has none. */
function useAccount(id: string | undefined) {
  const api = useApi();
  const known = userId.safeParse(id).data;
  return useQuery(
    known === undefined ? { queryKey: ['users', 'one', 'nobody'], queryFn: skipToken } : userQuery(api, known),
  );
}

interface EditUserFormProps {
  start: User;
  dialog: FormHandle;
  /** Called when somebody else has a new password to be handed over. */
  onHandOver: (account: HandedAccount) => void;
}

/** The whole account, as an administrator changes it. */
function EditUserForm({ start, dialog, onHandOver }: EditUserFormProps) {
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
