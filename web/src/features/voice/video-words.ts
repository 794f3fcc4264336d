import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

/** The texts of the video view in the current language. */
export const useVideoWords = () => useTranslation('video').t;
