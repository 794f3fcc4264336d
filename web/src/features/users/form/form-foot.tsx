import type { ReactNode } from 'react';
import { FormActs, type FormHandle } from '#src/shared/ui/form-dialog.tsx';
import { type Trouble, TroubleNote } from './trouble-note.tsx';
import styles from './user-form.module.css';

export interface FormFootProps {
  dialog: Pick<FormHandle, 'cancel'>;
  /** The error beside the buttons, which are visible wherever the form is scrolled to. */
  trouble: Trouble | undefined;
  children: ReactNode;
}

/** The foot of a long form, always in sight. */
export function FormFoot({ dialog, trouble, children }: FormFootProps) {
  return (
    <div className={styles.foot}>
      {trouble && <TroubleNote trouble={trouble} />}
      <FormActs form={dialog}>{children}</FormActs>
    </div>
  );
}
