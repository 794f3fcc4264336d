import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import deActivities from '#src/locales/de/activities.json';
import deCalls from '#src/locales/de/calls.json';
import deChannels from '#src/locales/de/channels.json';
import deMembers from '#src/locales/de/members.json';
import dePositions from '#src/locales/de/positions.json';
import deVideo from '#src/locales/de/video.json';
import de from '#src/locales/de/voice.json';
import enActivities from '#src/locales/en/activities.json';
import enCalls from '#src/locales/en/calls.json';
import enChannels from '#src/locales/en/channels.json';
import enMembers from '#src/locales/en/members.json';
import enPositions from '#src/locales/en/positions.json';
import enVideo from '#src/locales/en/video.json';
import en from '#src/locales/en/voice.json';
import frActivities from '#src/locales/fr/activities.json';
import frCalls from '#src/locales/fr/calls.json';
import frChannels from '#src/locales/fr/channels.json';
import frMembers from '#src/locales/fr/members.json';
import frPositions from '#src/locales/fr/positions.json';
import frVideo from '#src/locales/fr/video.json';
import fr from '#src/locales/fr/voice.json';
import { type I18n, openI18n } from '#src/shared/i18n/i18n.ts';
import { I18nProvider } from '#src/shared/i18n/use-translation.tsx';
import { type Namespace, WORDS_BUNDLES } from '#src/shared/i18n/words-bundles.ts';
import type { Language } from '#src/shared/languages.ts';

const WORDS: Record<Language, Partial<Record<Namespace, Record<string, unknown>>>> = {
  fr: {
    voice: fr,
    calls: frCalls,
    channels: frChannels,
    members: frMembers,
    positions: frPositions,
    activities: frActivities,
    video: frVideo,
  },
  en: {
    voice: en,
    calls: enCalls,
    channels: enChannels,
    members: enMembers,
    positions: enPositions,
    activities: enActivities,
    video: enVideo,
  },
  de: {
    voice: de,
    calls: deCalls,
    channels: deChannels,
    members: deMembers,
    positions: dePositions,
    activities: deActivities,
    video: deVideo,
  },
};

/** The room's texts in one language, available at once. Other texts show their keys. */
function voiceI18n(language: Language = 'fr'): I18n {
  const known = Object.values(WORDS_BUNDLES)
    .flat()
    .map((name) => [language, name, WORDS[language][name] ?? {}] as const);
  return openI18n({ language, load: async () => ({}), known });
}

/** Providers for voice views. */
export function WithVoiceWords(props: { language?: Language; children: ReactNode }) {
  return (
    <I18nProvider i18n={voiceI18n(props.language)}>
      <MantineProvider env="test">{props.children}</MantineProvider>
    </I18nProvider>
  );
}
