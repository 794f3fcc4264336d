import { useTranslation } from 'react-i18next';

/** The texts of the video view in the current language. */
export const useVideoWords = () => useTranslation('video').t;
