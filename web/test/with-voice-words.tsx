import { MantineProvider } from '@mantine/core';
import { createInstance, type i18n } from 'i18next';
import type { ReactNode } from 'react';
import { I18nextProvider, initReactI18next } from 'react-i18next';
import de from '#src/locales/de/voice.json';
import en from '#src/locales/en/voice.json';
import fr from '#src/locales/fr/voice.json';

/** i18next with the voice texts in one language, initialised synchronously. */
function voiceI18n(language: 'fr' | 'en' | 'de' = 'fr'): i18n {
  const instance = createInstance();
  void instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    initAsync: false,
    ns: ['voice'],
    resources: { fr: { voice: fr }, en: { voice: en }, de: { voice: de } },
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  return instance;
}

/** Providers for voice views. */
export function WithVoiceWords(props: { language?: 'fr' | 'en' | 'de'; children: ReactNode }) {
  return (
    <I18nextProvider i18n={voiceI18n(props.language)}>
      <MantineProvider env="test">{props.children}</MantineProvider>
    </I18nextProvider>
  );
}
