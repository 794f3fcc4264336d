import type { LoggedType } from '@pressel/contract/activity-types';
import type { ChannelId } from '@pressel/contract/ids';
import type { User } from '@pressel/contract/users';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '#src/shared/services.tsx';
import { useLastChanger } from '#src/shared/ui/conflict-frame.tsx';
import type { PhotoChange } from './photo-field.tsx';
import { type UserForm, useUserForm } from './user-fields.tsx';
import { userQuery } from './user-form.queries.ts';
import {
  type ChannelDelta,
  type ComparedField,
  type Difference,
  deltaAfter,
  differencesOf,
  isChanged,
  pickedOf,
  valuesOf,
  withChoices,
} from './user-form.rules.ts';

const NO_DELTA: ChannelDelta<ChannelId> = { added: new Set(), removed: new Set() };

/** The activities that change an account's fields. */
const CHANGES: LoggedType[] = ['user_update', 'role_change', 'map_right_change'];

export type UserEdit = ReturnType<typeof useUserEdit>;

/**
 * An account being edited. It follows the account on the server: changes by others are shown field by field, and
 * replace nothing that was typed.
 */
export function useUserEdit(start: User) {
  const account = useQuery({ ...userQuery(useApi(), start.id), initialData: start });
  const form = useUserForm(valuesOf(start));
  /** The state of the account that the form started from. */
  const [base, setBase] = useState(start);
  const [differences, setDifferences] = useState<readonly Difference[]>([]);
  const [delta, setDelta] = useState(NO_DELTA);
  const [photo, setPhoto] = useState<PhotoChange>();
  const [isSaving, setSaving] = useState(false);
  const latest = account.data;
  const channels = new Set(latest.channels?.map(({ id }) => id));
  const isDataChanged = isChanged(form.values, base) || delta.added.size > 0 || delta.removed.size > 0;

  // While a save is under way, the news are most likely its own.
  if (!isSaving && latest.version > base.version) {
    const found = isDataChanged ? differencesOf(base, latest, form.values) : [];
    setBase(latest);
    setDifferences((known) => [...known.filter((old) => !found.some(({ field }) => field === old.field)), ...found]);
    form.replace(isDataChanged ? withChoices(form.values, found) : valuesOf(latest));
  }

  const mark = (field: ComparedField | undefined, change: Partial<Difference>) =>
    setDifferences((known) =>
      known.map((one) => (field === undefined || one.field === field ? { ...one, ...change } : one)),
    );
  const set: UserForm['set'] = (field, value) => {
    form.set(field, value);
    const compared = differences.find((one) => one.field === field);
    // A user who goes on typing in a field that differs has chosen their own value.
    if (compared !== undefined) mark(compared.field, { choice: 'mine', mine: value });
  };

  const changer = useLastChanger(
    differences.length === 0 ? undefined : { targetId: start.id, types: CHANGES },
    latest.version,
  );

  return {
    form: { ...form, set },
    base,
    /** The user who made the differences, where known. */
    changer,
    latest,
    photo,
    setPhoto,
    delta,
    setDelta,
    picked: pickedOf(channels, delta),
    pick: (ids: readonly ChannelId[], isPicked: boolean) =>
      setDelta((known) => deltaAfter(channels, known, ids, isPicked)),
    setSaving,
    isDataChanged,
    isChanged: isDataChanged || photo !== undefined,
    isGone: account.isError && account.error !== null,
    error: account.error,
    refetch: async () => (await account.refetch()).data,
    differences,
    choose: (field: ComparedField, choice: 'theirs' | 'mine') => {
      mark(field, { choice });
      const found = differences.find((one) => one.field === field);
      if (found !== undefined) form.replace(withChoices(form.values, [{ ...found, choice }]));
    },
    /** Returns the form as it was filled in here, whatever was chosen since. */
    mine: () =>
      withChoices(
        form.values,
        differences.map((one) => ({ ...one, choice: 'mine' as const })),
      ),
    /** Forgets the input and begins with the account as it is now. */
    readAgain: () => {
      setDifferences([]);
      setDelta(NO_DELTA);
      setPhoto(undefined);
      form.replace(valuesOf(latest));
    },
    /** Called when everything is stored. */
    settle: () => {
      setDifferences([]);
      setDelta(NO_DELTA);
      form.replace({ ...form.values, password: '', repetition: '' });
    },
  };
}
