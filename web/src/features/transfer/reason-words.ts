import type { RowFault } from '@pressel/contract/transfer';
import { useTranslation } from 'react-i18next';
import type { JudgedRow } from './import-kinds.ts';

/** Maximum of unknown channels named in a sentence. */
const NAMES_SHOWN = 5;

export interface ReasonWords {
  ofFault: (fault: RowFault) => string;
  /** The text of all faults of a row, or of its verdict. */
  ofRow: (row: Pick<JudgedRow, 'state' | 'faults'>) => string;
}

/** Texts that explain why a row is not imported, in the current language. */
export function useReasonWords(passwordMinLength: number): ReasonWords {
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
  return {
    ofFault,
    ofRow: ({ state, faults }) => (state === 'rejected' ? faults.map(ofFault).join(' · ') : t(`reason.${state}`)),
  };
}
