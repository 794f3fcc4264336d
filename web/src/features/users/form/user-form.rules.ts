import type { Role } from '@pressel/contract/credentials';
import { typedName } from '@pressel/contract/text';
import type { User } from '@pressel/contract/users';
import {
  type FieldFault,
  loginFault,
  nameFault,
  passwordFault,
  phoneFault,
  pseudoFault,
} from '#src/shared/forms/field-rules.ts';

/** The values of a user's forms, as typed. */
export interface UserValues {
  firstName: string;
  lastName: string;
  login: string;
  pseudo: string;
  password: string;
  repetition: string;
  phone: string;
  mapRight: boolean;
  role: Role;
}
export type UserField = keyof UserValues;
export type UserFault = FieldFault | 'mismatch';
export type UserFaults = Partial<Record<UserField, UserFault>>;

/** The order of the fields on screen: the focus goes to the first faulty one. */
export const USER_FIELDS = [
  'firstName',
  'lastName',
  'login',
  'pseudo',
  'password',
  'repetition',
  'phone',
  'mapRight',
  'role',
] as const satisfies readonly UserField[];

export const NO_USER: UserValues = {
  firstName: '',
  lastName: '',
  login: '',
  pseudo: '',
  password: '',
  repetition: '',
  phone: '',
  mapRight: false,
  role: 'member',
};

export const valuesOf = (user: User): UserValues => ({
  ...NO_USER,
  firstName: user.firstName,
  lastName: user.lastName,
  login: user.identifier,
  pseudo: user.pseudo,
  phone: user.phone_number,
  mapRight: user.mapRight,
  role: user.role,
});

/** Whether two passwords differ; false while nothing is repeated yet. */
export const isMismatch = ({ password, repetition }: Pick<UserValues, 'password' | 'repetition'>): boolean =>
  repetition !== '' && repetition !== password;

/** The faults of a password and its repetition. `isOptional`: an empty one is fine. A blank one counts as empty (spec §5). */
export function passwordFaults(
  { password, repetition }: Pick<UserValues, 'password' | 'repetition'>,
  isOptional = false,
): Pick<UserFaults, 'password' | 'repetition'> {
  if (isOptional && password === '' && repetition === '') return {};
  const fault = isOptional && password === '' ? undefined : passwordFault(password);
  if (fault !== undefined) return { password: fault };
  return password === repetition ? {} : { repetition: 'mismatch' };
}

/** The faults that prevent the creation of a user. */
export const faultsOfNew = (values: UserValues): UserFaults =>
  present({ ...textFaults(values), login: loginFault(values.login), ...passwordFaults(values) });

/** The faults that prevent a change of a user. The login isn't checked, and an empty password keeps the old one. */
export const faultsOfEdit = (values: UserValues): UserFaults =>
  present({ ...textFaults(values), ...passwordFaults(values, true) });

const textFaults = (values: UserValues) => ({
  firstName: nameFault(values.firstName),
  lastName: nameFault(values.lastName),
  pseudo: pseudoFault(values.pseudo),
  phone: phoneFault(values.phone),
});

const present = (faults: Partial<Record<UserField, UserFault | undefined>>): UserFaults =>
  Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));

/** Returns the sentence over the form: empty fields go first, then the passwords (spec §5). */
export function summaryOf(faults: UserFaults): 'empty' | 'mismatch' | 'marked' | undefined {
  const found = Object.values(faults);
  if (found.length === 0) return undefined;
  if (found.includes('required') || found.includes('blankPassword')) return 'empty';
  return found.includes('mismatch') ? 'mismatch' : 'marked';
}

/** The fields of an account that an edit changes and others may change meanwhile. */
export const COMPARED = ['firstName', 'lastName', 'pseudo', 'phone', 'mapRight', 'role'] as const;
export type ComparedField = (typeof COMPARED)[number];

/** A field as the server would store it. */
const stored = (value: string | boolean): string | boolean => (typeof value === 'string' ? typedName(value) : value);

/** Whether a form holds something else than an account. */
export const isChanged = (values: UserValues, user: User): boolean => {
  const known = valuesOf(user);
  return (
    values.password !== '' ||
    values.repetition !== '' ||
    COMPARED.some((field) => stored(values[field]) !== stored(known[field]))
  );
};

/** A field that somebody else changed meanwhile, to a value other than the form's. */
export interface Difference {
  field: ComparedField;
  theirs: string | boolean;
  mine: string | boolean;
  /** The chosen value. Theirs from the start where the form had changed nothing. */
  choice: 'theirs' | 'mine' | undefined;
}

/** Returns the changes between two states of an account that differ from the form. */
export function differencesOf(before: User, now: User, form: UserValues): Difference[] {
  const [old, theirs] = [valuesOf(before), valuesOf(now)];
  return COMPARED.filter((field) => old[field] !== theirs[field] && stored(theirs[field]) !== stored(form[field])).map(
    (field) => ({
      field,
      theirs: theirs[field],
      mine: form[field],
      choice: stored(form[field]) === stored(old[field]) ? 'theirs' : undefined,
    }),
  );
}

/** The form with the chosen value of each field. */
export const withChoices = (form: UserValues, differences: readonly Difference[]): UserValues => ({
  ...form,
  ...Object.fromEntries(
    differences.filter(({ choice }) => choice !== undefined).map((one) => [one.field, one[one.choice ?? 'mine']]),
  ),
});

/** The picked ids after some were ticked or unticked. */
export function picksAfter<Id>(known: ReadonlySet<Id>, ids: readonly Id[], isPicked: boolean): ReadonlySet<Id> {
  const next = new Set(known);
  for (const id of ids) {
    if (isPicked) next.add(id);
    else next.delete(id);
  }
  return next;
}

/** The changes that an edit makes to somebody's channels. Changes by others meanwhile stay. */
export interface ChannelDelta<Id> {
  added: ReadonlySet<Id>;
  removed: ReadonlySet<Id>;
}

/** The delta after some channels were ticked or unticked. Ticking back removes the change. */
export function deltaAfter<Id>(
  known: ReadonlySet<Id>,
  { added, removed }: ChannelDelta<Id>,
  ids: readonly Id[],
  isPicked: boolean,
): ChannelDelta<Id> {
  const old = ids.filter((id) => known.has(id));
  const others = ids.filter((id) => !known.has(id));
  return { added: picksAfter(added, others, isPicked), removed: picksAfter(removed, old, !isPicked) };
}

/** The ticked channels: the existing ones, with the form's changes. */
export const pickedOf = <Id>(known: ReadonlySet<Id>, { added, removed }: ChannelDelta<Id>): ReadonlySet<Id> =>
  picksAfter(picksAfter(known, [...added], true), [...removed], false);
