import { updateUserData, uploadUserPhoto } from '@pressel/contract/users';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError, errorCodeOf } from '#src/shared/api/api-error.ts';
import { CHANNELS_KEY, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi, useSession, useUser } from '#src/shared/services.tsx';
import { focusOpenChoice } from './edit-conflict.tsx';
import type { UserEdit } from './use-user-edit.ts';
import { fieldOf } from './user-fields.tsx';
import { channelsStillThere } from './user-form.queries.ts';
import { differencesOf, faultsOfEdit, summaryOf, type UserValues } from './user-form.rules.ts';

export interface UserSaveOptions {
  /** Administrators change role, map right and channels too. */
  isByAdmin: boolean;
  /** Called with the password that was set; empty if it is unchanged. */
  onSaved: (password: string) => void;
}

interface Attempt {
  values: UserValues;
  version: number;
}

/** Stores an edit: the account with its channels in one call, then the photo. */
export function useUserSave(edit: UserEdit, { isByAdmin, onSaved }: UserSaveOptions) {
  const api = useApi();
  const queries = useQueryClient();
  const session = useSession();
  const isOwn = useUser().id === edit.base.id;
  const { id } = edit.base;
  const isBusy = useRef(false);
  /** The account is stored already, though the photo of the same edit is not. */
  const storedPassword = useRef('');
  const [channelsGone, setChannelsGone] = useState(0);
  const [isDeclined, setDeclined] = useState(false);

  const store = async ({ values, version }: Attempt, isRetry = false): Promise<void> => {
    try {
      await api.call(updateUserData, { ...payloadOf(values, edit, isByAdmin), version });
    } catch (error) {
      if (errorCodeOf(error) !== 'conflict') throw error;
      const now = await edit.refetch();
      // Otherwise nothing in this form was changed: the cause may be a photo, or an attempt of ours that had no answer.
      if (isRetry || now === undefined || differencesOf(edit.base, now, values).length > 0) throw error;
      await store({ values, version: now.version }, true);
    }
  };

  const save = useMutation({
    mutationFn: async (attempt: Attempt): Promise<{ photoError: unknown }> => {
      if (edit.isDataChanged) await store(attempt);
      if (edit.photo === undefined) return { photoError: undefined };
      // The account is stored by now, so a failed photo must not look as if nothing were.
      return await api.call(uploadUserPhoto, { userId: id, photo_url: edit.photo }).then(
        () => ({ photoError: undefined }),
        (photoError: unknown) => {
          // Nothing is stored yet. The user is asked for the password, and the edit is sent once more.
          if (!edit.isDataChanged && errorCodeOf(photoError) === 'verification_required') throw photoError;
          return { photoError };
        },
      );
    },
    onSuccess: async ({ photoError }, { values }) => {
      edit.settle();
      if (values.password !== '') storedPassword.current = values.password;
      if (photoError === undefined) {
        edit.setPhoto(undefined);
        onSaved(storedPassword.current);
        storedPassword.current = '';
      }
      // The top bar shows the signed-in user's name.
      if (isOwn) void session.check();
      await Promise.all([
        queries.invalidateQueries({ queryKey: USERS_KEY }),
        queries.invalidateQueries({ queryKey: CHANNELS_KEY }),
      ]);
    },
    onError: async (error) => {
      const field = fieldOf(error);
      if (field !== undefined) edit.form.focus(field);
      if (errorCodeOf(error) !== 'not_found') return;
      if (error instanceof ApiError && error.params.what === 'channel') await dropGoneChannels();
      else await edit.refetch();
    },
    onSettled: () => {
      isBusy.current = false;
      edit.setSaving(false);
    },
  });

  const dropGoneChannels = async () => {
    const left = await channelsStillThere(api, edit.delta.added);
    setChannelsGone(edit.delta.added.size - left.size);
    await edit.refetch();
    edit.setDelta({ added: left, removed: edit.delta.removed });
    await queries.invalidateQueries({ queryKey: CHANNELS_KEY });
  };

  const start = (values: UserValues) => {
    // A second click may come before the first one is rendered.
    if (isBusy.current) return;
    isBusy.current = true;
    setDeclined(false);
    edit.setSaving(true);
    save.mutate({ values, version: edit.base.version });
  };

  return {
    isPending: save.isPending,
    error: save.error,
    photoError: save.data?.photoError,
    channelsGone,
    forget: () => {
      if (isBusy.current) return;
      save.reset();
      setChannelsGone(0);
    },
    start,
    /** The user gave their own password too long ago, and is asked again (AUTH4). */
    proof: {
      isWanted: errorCodeOf(save.error) === 'verification_required' && !isDeclined,
      /** Sends the same once more. @returns false when the account changed meanwhile, because sending would undo that */
      given: (): boolean => {
        if (save.variables?.version === edit.base.version) {
          start(save.variables.values);
          return true;
        }
        save.reset();
        return false;
      },
      declined: () => setDeclined(true),
    },
  };
}

const payloadOf = (values: UserValues, { base, delta }: UserEdit, isByAdmin: boolean) => ({
  id: base.id,
  firstName: values.firstName,
  lastName: values.lastName,
  pseudo: values.pseudo,
  phone_number: values.phone,
  password: values.password,
  ...(isByAdmin && {
    mapRight: values.mapRight,
    role: values.role,
    addChannels: [...delta.added],
    removeChannels: [...delta.removed],
  }),
});
type UserSave = ReturnType<typeof useUserSave>;

/** Sends an edit once the user has decided every difference to what somebody else stored meanwhile. */
export function useEditSubmit(edit: UserEdit, save: UserSave, onUnchanged: () => void) {
  const { form } = edit;
  const [mustChoose, setMustChoose] = useState(false);
  const send = (values: UserValues) => {
    save.forget();
    if (!form.accept(faultsOfEdit(values))) return;
    if (edit.isChanged) save.start(values);
    else onUnchanged();
  };
  return {
    send,
    submit(event?: FormEvent) {
      event?.preventDefault();
      const isOpen = edit.differences.some(({ choice }) => choice === undefined);
      setMustChoose(isOpen);
      if (isOpen) focusOpenChoice(form.ref.current);
      else send(form.values);
    },
    /** The summary beside the button, or undefined. */
    summary: summaryOf(form.faults) ?? (mustChoose ? ('choose' as const) : undefined),
    choose: (...choice: Parameters<UserEdit['choose']>) => {
      setMustChoose(false);
      edit.choose(...choice);
    },
    readAgain() {
      save.forget();
      setMustChoose(false);
      edit.readAgain();
    },
  };
}
export type EditSubmit = ReturnType<typeof useEditSubmit>;
