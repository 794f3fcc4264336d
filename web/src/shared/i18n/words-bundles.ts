import type { Words } from './typed-words.ts';

export type Namespace = keyof Words;

/** Namespaces that are sent as one file, because the same screens need them. The build groups them by this table. */
export const WORDS_BUNDLES = {
  door: ['shared', 'app', 'auth', 'forms'],
  channels: ['channels', 'members', 'bulk', 'dashboard', 'activities', 'shell', 'calls'],
  users: ['users', 'userForm', 'exports'],
  transfer: ['transfer'],
  activities: ['activityLog'],
  calls: ['callParts'],
  keyPanels: ['keyPanels'],
  voice: ['voice', 'chat', 'positions'],
  video: ['video'],
  guests: ['guests'],
} as const satisfies Record<string, readonly Namespace[]>;
export type WordsBundle = keyof typeof WORDS_BUNDLES;
