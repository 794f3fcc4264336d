import type { ReactNode } from 'react';
import { FormActs, type FormHandle } from '#src/shared/ui/form-dialog.tsx';
import { type Trouble, TroubleNote } from './trouble-note.tsx';
import styles from './user-form.module.css';

export interface FormFootProps {
  dialog: Pick<FormHandle, 'cancel'>;
  /** What went wrong, told beside the buttons: that is in sight wherever the form is scrolled to. */
  trouble: Trouble | undefined;
  children: ReactNode;
}

/** The end of a long form, always in sight. */
export function FormFoot({ dialog, trouble, children }: FormFootProps) {
  return (
    <div className={styles.foot}>
      {trouble && <TroubleNote trouble={trouble} />}
      <FormActs form={dialog}>{children}</FormActs>
    </div>
  );
}
