import { MantineProvider } from '@mantine/core';
import { createInstance, type i18n } from 'i18next';
import type { ReactNode } from 'react';
import { I18nextProvider, initReactI18next } from 'react-i18next';
import deActivities from '#src/locales/de/activities.json';
import deChannels from '#src/locales/de/channels.json';
import dePositions from '#src/locales/de/positions.json';
import deVideo from '#src/locales/de/video.json';
import de from '#src/locales/de/voice.json';
import enActivities from '#src/locales/en/activities.json';
import enChannels from '#src/locales/en/channels.json';
import enPositions from '#src/locales/en/positions.json';
import enVideo from '#src/locales/en/video.json';
import en from '#src/locales/en/voice.json';
import frActivities from '#src/locales/fr/activities.json';
import frChannels from '#src/locales/fr/channels.json';
import frPositions from '#src/locales/fr/positions.json';
import frVideo from '#src/locales/fr/video.json';
import fr from '#src/locales/fr/voice.json';
import { formatter } from '#src/shared/i18n/i18n.ts';

/** i18next with the room's texts in one language, initialised synchronously. */
function voiceI18n(language: 'fr' | 'en' | 'de' = 'fr'): i18n {
  const instance = createInstance();
  void instance
    .use(formatter)
    .use(initReactI18next)
    .init({
      lng: language,
      fallbackLng: false,
      initAsync: false,
      ns: ['voice', 'channels', 'positions', 'activities', 'video'],
      resources: {
        fr: { voice: fr, channels: frChannels, positions: frPositions, activities: frActivities, video: frVideo },
        en: { voice: en, channels: enChannels, positions: enPositions, activities: enActivities, video: enVideo },
        de: { voice: de, channels: deChannels, positions: dePositions, activities: deActivities, video: deVideo },
      },
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
