import { fullName } from '#src/shared/format/format.ts';
import { EditConflict } from './edit-conflict.tsx';
import { PhotoField } from './photo-field.tsx';
import type { EditSubmit } from './use-edit-submit.ts';
import type { UserEdit } from './use-user-edit.ts';

export interface EditTopProps {
  edit: UserEdit;
  submission: EditSubmit;
  isSaving: boolean;
}

/** The common top of both account forms: changes that somebody else made meanwhile, and the photo. */
export function EditTop({ edit, submission, isSaving }: EditTopProps) {
  return (
    <>
      {edit.differences.length > 0 && (
        <EditConflict
          changer={edit.changer}
          differences={edit.differences}
          onChoose={submission.choose}
          onReadAgain={submission.readAgain}
          onSaveMine={() => submission.send(edit.mine())}
          isSaving={isSaving}
        />
      )}
      <PhotoField
        stored={edit.latest.photo_url}
        change={edit.photo}
        onChange={edit.setPhoto}
        name={fullName(edit.latest)}
      />
    </>
  );
}
