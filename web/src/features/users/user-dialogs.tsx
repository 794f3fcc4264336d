export interface UserDialogsProps {
  /** 'create': add a user. A user's id: edit it, after the administrator's password. Undefined: nothing is open. */
  panel: string | undefined;
  onClose: () => void;
}

/** What opens over the users' list. */
export function UserDialogs(_: UserDialogsProps) {
  return null;
}
