import { type FormEvent, useState } from 'react';
import { focusOpenChoice } from './edit-conflict.tsx';
import type { UserEdit } from './use-user-edit.ts';
import type { UserSave } from './use-user-save.ts';
import { faultsOfEdit, summaryOf, type UserValues } from './user-form.rules.ts';

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
