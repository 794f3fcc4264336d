import { LOGIN_MAX_LENGTH, LOGIN_MIN_LENGTH } from '@pressel/contract/limits';
import { useTranslation } from '../i18n/use-translation.tsx';
import type { FieldFault } from './field-rules.ts';

/** Returns the error text of a field; undefined without a fault. */
export function useFaultWords(): (fault: FieldFault | undefined, max?: number) => string | undefined {
  const { t } = useTranslation('forms');
  return (fault, max = LOGIN_MAX_LENGTH) =>
    fault === undefined ? undefined : t(`fault.${fault}`, { min: LOGIN_MIN_LENGTH, max });
}
