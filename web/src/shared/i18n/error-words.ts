import { ApiError, errorCodeOf } from '../api/api-error.ts';
import { useTranslation } from './use-translation.tsx';

/** Returns the text of a thrown error in the current language. */
export function useErrorWords(): (error: unknown) => string {
  const { t } = useTranslation('shared');
  return (error) => {
    const params = error instanceof ApiError ? error.params : {};
    const seconds = params.retryAfterSeconds;
    const code = errorCodeOf(error);
    if (code === 'too_many' && seconds !== undefined) return t('errors.too_many_wait', { count: seconds });
    if (code === 'password_too_short') return t('errors.password_too_short', { count: params.minLength ?? 1 });
    return t(`errors.${code}`);
  };
}
