import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { signUpUser } from '@pressel/contract/auth';
import type { ChannelId } from '@pressel/contract/ids';
import { PICK_SIZES } from '@pressel/contract/limits';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError, errorCodeOf } from '#src/shared/api/api-error.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { CHANNELS_KEY, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { ChannelPicker } from '#src/shared/lists/pickers.tsx';
import { useApi } from '#src/shared/services.tsx';
import { FormDialog, type FormHandle, useUnsaved } from '#src/shared/ui/form-dialog.tsx';
import { AccountCard, type HandedAccount } from './account-card.tsx';
import { FormFoot, type Trouble } from './form-parts.tsx';
import { fieldOf, isUncertain, MapSwitch, PasswordPair, TextField, useTrouble, useUserForm } from './user-fields.tsx';
import styles from './user-form.module.css';
import { channelsStillThere } from './user-form.queries.ts';
import { faultsOfNew, NO_USER, picksAfter, summaryOf } from './user-form.rules.ts';

/** Makes an account, its channels included, in one step. */
export function AddUserDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('userForm');
  return (
    <FormDialog isOpen={isOpen} title={t('add.title')} onClose={onClose}>
      {(dialog) => <AddUser dialog={dialog} />}
    </FormDialog>
  );
}

/** Shows the form, then what the new user needs to sign in [AUTH21]. */
function AddUser({ dialog }: { dialog: FormHandle }) {
  const [made, setMade] = useState<HandedAccount>();
  if (made === undefined) return <AddUserForm dialog={dialog} onMade={setMade} />;
  return <AccountCard account={made} onDone={dialog.close} onAnother={() => setMade(undefined)} />;
}

function AddUserForm({ dialog, onMade }: { dialog: FormHandle; onMade: (account: HandedAccount) => void }) {
  const { t } = useTranslation('userForm');
  const form = useUserForm(NO_USER);
  const [picked, setPicked] = useState<ReadonlySet<ChannelId>>(new Set());
  const creation = useCreation({ values: form.values, picked, setPicked, focus: form.focus, onMade });
  const { refusals, text } = useTrouble(creation.error);
  const summary = summaryOf(form.faults);
  useUnsaved(dialog, picked.size > 0 || JSON.stringify(form.values) !== JSON.stringify(NO_USER));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    creation.forget();
    if (form.accept(faultsOfNew(form.values))) creation.start();
  };

  const reason = creation.hasLanded
    ? t('landed')
    : creation.channelsGone > 0
      ? t('channelsGone', { count: creation.channelsGone })
      : (text ?? (summary && t(`fault.${summary}`)));
  const trouble: Trouble | undefined = reason === undefined ? undefined : { title: t('add.failed'), text: reason };
  return (
    <form className={styles.form} onSubmit={submit} ref={form.ref} noValidate>
      <div className={styles.grid}>
        <TextField form={form} field="firstName" autoComplete="off" isRequired isFirst />
        <TextField form={form} field="lastName" autoComplete="off" isRequired />
        <TextField form={form} field="login" autoComplete="off" refusals={refusals} isRequired />
        <TextField form={form} field="pseudo" autoComplete="off" />
      </div>
      <PasswordPair form={form} refusals={refusals} label={t('field.password')} canGenerate />
      <div className={styles.grid}>
        <TextField form={form} field="phone" autoComplete="off" />
        <MapSwitch form={form} />
      </div>
      <ChannelPicker
        title={t('field.channels')}
        picked={picked}
        onPick={(ids, isPicked) => setPicked((known) => picksAfter(known, ids, isPicked))}
        sizes={PICK_SIZES}
      />
      <FormFoot dialog={dialog} trouble={trouble}>
        <Button type="submit" loading={creation.isPending}>
          {t('add.submit')}
        </Button>
      </FormFoot>
    </form>
  );
}

interface Draft {
  values: typeof NO_USER;
  picked: ReadonlySet<ChannelId>;
  setPicked: (picked: ReadonlySet<ChannelId>) => void;
  focus: ReturnType<typeof useUserForm>['focus'];
  onMade: (account: HandedAccount) => void;
}

/** Calls the server and reports the outcome. Only what the server confirmed counts as success. */
function useCreation({ values, picked, setPicked, focus, onMade }: Draft) {
  const { t } = useTranslation('userForm');
  const api = useApi();
  const queries = useQueryClient();
  const isBusy = useRef(false);
  const [unanswered, setUnanswered] = useState<string>();
  const [channelsGone, setChannelsGone] = useState(0);
  const login = values.login.trim();

  const create = useMutation({
    mutationFn: () =>
      api.call(signUpUser, {
        firstName: values.firstName,
        lastName: values.lastName,
        email: login,
        pseudo: values.pseudo,
        password: values.password,
        phone_number: values.phone,
        mapRight: values.mapRight,
        channelList: [...picked],
      }),
    onSuccess: async () => {
      const name = `${values.firstName} ${values.lastName}`.trim();
      notifications.show({ title: t('add.done'), message: name });
      onMade({ name, login, password: values.password });
      await Promise.all([
        queries.invalidateQueries({ queryKey: USERS_KEY }),
        queries.invalidateQueries({ queryKey: CHANNELS_KEY }),
      ]);
    },
    onError: async (error) => {
      if (isUncertain(error)) setUnanswered(login.toLowerCase());
      const field = fieldOf(error);
      if (field !== undefined) focus(field);
      if (errorCodeOf(error) === 'not_found' && error instanceof ApiError && error.params.what === 'channel') {
        const left = await channelsStillThere(api, picked);
        setPicked(left);
        setChannelsGone(picked.size - left.size);
        await queries.invalidateQueries({ queryKey: CHANNELS_KEY });
      }
    },
    onSettled: () => {
      isBusy.current = false;
    },
  });

  return {
    isPending: create.isPending,
    error: create.error,
    channelsGone,
    /** The login exists, most likely because of an earlier attempt of ours that got no answer. */
    hasLanded: errorCodeOf(create.error) === 'duplicate_login' && unanswered === login.toLowerCase(),
    forget: () => {
      if (isBusy.current) return;
      create.reset();
      setChannelsGone(0);
    },
    start: () => {
      // A second click may come before the first one is rendered.
      if (isBusy.current) return;
      isBusy.current = true;
      create.mutate();
    },
  };
}
