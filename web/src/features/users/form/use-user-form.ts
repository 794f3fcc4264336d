import { type RefObject, useRef, useState } from 'react';
import { USER_FIELDS, type UserFaults, type UserField, type UserValues } from './user-form.rules.ts';

/** The fields of a form with their faults. */
export interface UserForm {
  ref: RefObject<HTMLFormElement | null>;
  values: UserValues;
  faults: UserFaults;
  /** Sets a field's value and forgets its fault. */
  set: <F extends UserField>(field: F, value: UserValues[F]) => void;
  replace: (values: UserValues) => void;
  /** Marks the faults and focuses the first one. @returns whether there are none */
  accept: (faults: UserFaults) => boolean;
  focus: (field: UserField) => void;
}

export function useUserForm(start: UserValues): UserForm {
  const ref = useRef<HTMLFormElement>(null);
  const [values, replace] = useState(start);
  const [faults, setFaults] = useState<UserFaults>({});
  const focus = (field: UserField) => ref.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
  return {
    ref,
    values,
    faults,
    replace,
    focus,
    set: (field, value) => {
      replace((known) => ({ ...known, [field]: value }));
      setFaults((known) => without(field === 'password' ? [field, 'repetition'] : [field], known));
    },
    accept: (found) => {
      setFaults(found);
      const first = USER_FIELDS.find((field) => found[field] !== undefined);
      if (first !== undefined) focus(first);
      return first === undefined;
    },
  };
}

/** Each change of the password also checks the repetition anew. */
const without = (fields: readonly UserField[], faults: UserFaults): UserFaults =>
  Object.fromEntries(Object.entries(faults).filter(([field]) => !fields.some((one) => one === field)));
