import { userId } from '@pressel/contract/ids';
import { UserActsDialogs } from './acts/user-acts-dialogs.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { BulkDialog } from './bulk/bulk-dialog.tsx';
import { AddUserDialog } from './form/add-user-dialog.tsx';
import { EditUserDialog } from './form/edit-user-dialog.tsx';
import { UserSheet } from './list/user-sheet.tsx';

interface UserFormsProps {
  /** 'create': add a user. A user's id: edit it, after the administrator's password. Undefined: nothing is open. */
  panel: string | undefined;
  onClose: () => void;
  /** Called when the editing is gone from the screen, to give the focus back. */
  onEditClosed: () => void;
}

/** The forms over a list of users. */
function UserForms({ panel, onClose, onEditClosed }: UserFormsProps) {
  return (
    <>
      <AddUserDialog isOpen={panel === 'create'} onClose={onClose} />
      <EditUserDialog id={isEdit(panel) ? panel : undefined} onClose={onClose} onClosed={onEditClosed} />
    </>
  );
}

/** Ids only: other things may open over the list too. */
const isEdit = (panel: string | undefined): panel is string => userId.safeParse(panel).success;

/** One file has all that opens over a list of users: each file that a page loads costs more than the code in it. */
export const userDialogs = { BulkBar, BulkDialog, UserActsDialogs, UserForms, UserSheet };
