import { Button } from '@mantine/core';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ConflictFrame, changedBy, type LastChanger } from '#src/shared/ui/conflict-frame.tsx';
import styles from './edit-conflict.module.css';
import type { ComparedField, Difference } from './user-form.rules.ts';

export interface EditConflictProps {
  changer: LastChanger | undefined;
  differences: readonly Difference[];
  onChoose: (field: ComparedField, choice: 'theirs' | 'mine') => void;
  onReadAgain: () => void;
  onSaveMine: () => void;
  isSaving: boolean;
}

/**
 * Somebody else changed the same account meanwhile. Shows their values beside the user's, to choose field by field or
 * all at once.
 */
export function EditConflict({ changer, differences, onChoose, ...props }: EditConflictProps) {
  const { t } = useTranslation('userForm');
  const text = ({ field, ...values }: Difference, whose: 'theirs' | 'mine'): string => {
    const value = values[whose];
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    if (field === 'role') return t(value === 'admin' ? 'role.admin' : 'role.member');
    return value.trim() === '' ? t('conflict.empty') : value;
  };
  return (
    <ConflictFrame
      title={t(`conflict.${changedBy(changer)}`, { name: changer?.name })}
      text={t('conflict.text')}
      acts={
        <>
          <Button size="xs" variant="default" onClick={props.onReadAgain} disabled={props.isSaving}>
            {t('conflict.readAgain')}
          </Button>
          <Button size="xs" variant="default" onClick={props.onSaveMine} loading={props.isSaving}>
            {t('conflict.saveMine')}
          </Button>
        </>
      }
    >
      {differences.map((one) => (
        <fieldset className={styles.field} key={one.field}>
          <legend className={styles.legend}>{t(`field.${one.field}`)}</legend>
          {(['theirs', 'mine'] as const).map((whose) => (
            <label className={styles.choice} key={whose}>
              <input
                type="radio"
                name={`choice-${one.field}`}
                checked={one.choice === whose}
                onChange={() => onChoose(one.field, whose)}
              />
              <span className={styles.whose}>{t(`conflict.${whose}`)}</span>{' '}
              <bdi className={styles.value}>{text(one, whose)}</bdi>
            </label>
          ))}
        </fieldset>
      ))}
    </ConflictFrame>
  );
}

/** Goes to the first field of a form whose value is still to be chosen. */
export function focusOpenChoice(form: HTMLFormElement | null): void {
  const open = [...(form?.querySelectorAll('fieldset') ?? [])].find((one) => one.querySelector(':checked') === null);
  open?.querySelector('input')?.focus();
}
