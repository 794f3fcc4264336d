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

/** The namespaces: one per feature plus the shared ones. French is the source of the keys. */
interface Words {
  activities: typeof import('../../locales/fr/activities.json');
  activityLog: typeof import('../../locales/fr/activityLog.json');
  app: typeof import('../../locales/fr/app.json');
  auth: typeof import('../../locales/fr/auth.json');
  bulk: typeof import('../../locales/fr/bulk.json');
  callParts: typeof import('../../locales/fr/callParts.json');
  calls: typeof import('../../locales/fr/calls.json');
  channels: typeof import('../../locales/fr/channels.json');
  chat: typeof import('../../locales/fr/chat.json');
  dashboard: typeof import('../../locales/fr/dashboard.json');
  exports: typeof import('../../locales/fr/exports.json');
  forms: typeof import('../../locales/fr/forms.json');
  guests: typeof import('../../locales/fr/guests.json');
  keyPanels: typeof import('../../locales/fr/keyPanels.json');
  members: typeof import('../../locales/fr/members.json');
  positions: typeof import('../../locales/fr/positions.json');
  shell: typeof import('../../locales/fr/shell.json');
  shared: typeof import('../../locales/fr/shared.json');
  transfer: typeof import('../../locales/fr/transfer.json');
  userForm: typeof import('../../locales/fr/userForm.json');
  users: typeof import('../../locales/fr/users.json');
  video: typeof import('../../locales/fr/video.json');
  voice: typeof import('../../locales/fr/voice.json');
}

type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';

/** The key without its plural form. Keys such as 'too_many' have none. */
type Base<K extends string, Texts> = K extends `${infer Stem}_${PluralForm}`
  ? `${Stem}_other` extends keyof Texts
    ? Stem
    : K
  : K;

type Path<Texts> = {
  [K in keyof Texts & string]: Texts[K] extends string ? Base<K, Texts> : `${K}.${Path<Texts[K]>}`;
}[keyof Texts & string];

/** The keys of a namespace: 'a.b.c', without plural forms. */
export type Key<N extends keyof Words> = Path<Words[N]>;
