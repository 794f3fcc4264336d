import type { RowFault } from '@pressel/contract/transfer';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { ImportField, JudgedRow } from '../sheet/import-kinds.ts';

/** Maximum of unknown channels named in a sentence. */
const NAMES_SHOWN = 5;

export interface ReasonWords {
  ofFault: (fault: RowFault) => string;
  /** Says how a cell was read; undefined when there is nothing to say. */
  ofNote: (row: Pick<JudgedRow, 'cells' | 'notes'>, field: ImportField) => string | undefined;
  /** The text of all faults of a row, or of its verdict, and of its notes. */
  ofRow: (row: Pick<JudgedRow, 'state' | 'faults'> & Partial<JudgedRow>) => string;
}

const SECRET = '••••••';

/** Texts that explain why a row is not imported, and how it was read, in the current language. */
export function useReasonWords(passwordMinLength: number, showPasswords: boolean): ReasonWords {
  const { t } = useTranslation('transfer');
  const ofFault = ({ field, code, names = [] }: RowFault): string => {
    const name = t(`field.${field}`);
    if (code === 'password_too_short') return t('reason.password_too_short', { field: name, count: passwordMinLength });
    if (code === 'unknown_channel') {
      const rest = names.length > NAMES_SHOWN ? ', …' : '';
      return t('reason.unknown_channel', { names: names.slice(0, NAMES_SHOWN).join(', ') + rest });
    }
    return t(`reason.${code}`, { field: name });
  };
  const ofNote: ReasonWords['ofNote'] = ({ cells, notes }, field) => {
    const note = notes?.[field];
    if (note === undefined) return undefined;
    const text = field === 'password' && !showPasswords ? SECRET : (cells[field] ?? '');
    return t(`note.${note}`, { field: t(`field.${field}`), text });
  };
  return {
    ofFault,
    ofNote,
    ofRow: ({ state, faults, cells = {}, notes = {} }) =>
      [
        ...(state === 'rejected' ? faults.map(ofFault) : [t(`reason.${state}`)]),
        ...(Object.keys(notes) as ImportField[]).flatMap((field) => ofNote({ cells, notes }, field) ?? []),
      ].join(' · '),
  };
}
