import { userId } from '@pressel/contract/ids';
import { AddUserDialog } from './form/add-user-dialog.tsx';
import { EditUserDialog } from './form/edit-user-dialog.tsx';

export interface UserDialogsProps {
  /** 'create': add a user. A user's id: edit it, after the administrator's password. Undefined: nothing is open. */
  panel: string | undefined;
  onClose: () => void;
  /** Called when the editing is gone from the screen, to give the focus back. */
  onEditClosed: () => void;
}

/** The dialogs over the users' list. */
export function UserDialogs({ panel, onClose, onEditClosed }: UserDialogsProps) {
  return (
    <>
      <AddUserDialog isOpen={panel === 'create'} onClose={onClose} />
      <EditUserDialog id={isEdit(panel) ? panel : undefined} onClose={onClose} onClosed={onEditClosed} />
    </>
  );
}

/** Ids only: other things may open over the list too. */
const isEdit = (panel: string | undefined): panel is string => userId.safeParse(panel).success;
