import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './user-form.module.css';

export interface Trouble {
  title?: string | undefined;
  text: string;
}

/** Shows what failed, and why. */
export function TroubleNote({ trouble }: { trouble: Trouble }) {
  return (
    <InlineError>
      {trouble.title !== undefined && <strong className={styles.troubleTitle}>{trouble.title}</strong>}
      {trouble.text}
    </InlineError>
  );
}
