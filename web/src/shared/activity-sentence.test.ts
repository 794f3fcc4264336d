import { type Activity, activity } from '@pressel/contract/activities';
import { type LoggedType, loggedType } from '@pressel/contract/activity-types';
import { beforeAll, describe, expect, test } from 'vitest';
import { sampleId } from '../../test/samples.ts';
import { activityLine, activitySentence, activityWords } from './activity-sentence.ts';
import { createI18n, type I18n } from './i18n/i18n.ts';
import { LANGUAGES, type Language } from './languages.ts';

const CAMILLE = { id: sampleId(1), firstName: 'Camille', display_name: 'Camille' };
const AWA = { id: sampleId(2), display_name: 'Awa' };
const NORD = { id: sampleId(101), name: 'Équipe Nord' };
const BEFORE = '2026-10-22T10:00:00.000Z';

/** Details that change the sentence; `n` is how many. */
const VARIANTS: Partial<Record<LoggedType, (n: number) => readonly unknown[]>> = {
  channel_talk: (n) => [
    { durationMs: 4_000, end: 'released' },
    { durationMs: 4_000, end: 'released', talks: Math.max(2, n) },
  ],
  channel_creation: (n) => [{ members: n }, { members: n, imported: true }],
  channel_update: () => [{ changes: [{ field: 'channelName', from: 'Nord', to: 'Équipe Nord' }] }],
  channel_delete: (n) => [{ members: n }],
  user_creation: (n) =>
    ['self', 'administrator', 'import', 'maintenance'].map((by) => ({
      login: 'awa@example.org',
      role: 'member',
      mapRight: false,
      channels: n,
      by,
    })),
  user_update: () => [{ changes: [{ field: 'pseudo', from: '', to: 'A' }] }],
  user_delete: (n) => [{ login: 'awa@example.org', role: 'member', channels: n }],
  role_change: () => [
    { from: 'member', to: 'admin' },
    { from: 'admin', to: 'member' },
  ],
  map_right_change: () => [
    { from: false, to: true },
    { from: true, to: false },
  ],
  sign_in_failure: (n) =>
    ['password', 'unknown_login', 'proof', 'limited', 'flood'].map((reason) => ({ reason, count: n })),
  session_end: () => [{}, { isOne: true }],
  message_delete: () => [{ createdAt: BEFORE }],
  user_import: (n) => [{ created: n, existing: 1, rejected: 0, repeated: 0 }],
  channel_import: (n) => [{ created: n, existing: 1, rejected: 0, repeated: 0 }],
  user_export: (n) => [{ count: n }],
  channel_export: (n) => [{ count: n }],
  activity_export: (n) => [{ count: n }],
  activity_delete: (n) => ['administrator', 'retention'].map((by) => ({ before: BEFORE, count: n, by })),
  guest_link_creation: () => [{ name: 'Pompiers', expiresAt: BEFORE }],
  guest_link_withdrawal: () => [{ name: 'Pompiers' }],
  call: (n) => [{ durationMs: n, end: 'hung_up' }],
  call_missed: () => [{ end: 'no_answer' }],
};

/** Acts that are done to somebody. */
const TO_SOMEBODY: ReadonlySet<LoggedType> = new Set([
  'position_get',
  'user_creation',
  'user_update',
  'user_delete',
  'password_change',
  'role_change',
  'map_right_change',
  'membership_add',
  'membership_remove',
  'sign_in_failure',
  'session_end',
  'message_delete',
  'call',
  'call_missed',
]);
const IN_CHANNEL = /^(?:channel_(?!import|export)|message_|image_|membership_|guest_|connexion_|position_get)/u;

const entryOf = (part: Partial<Record<keyof Activity, unknown>>): Activity =>
  activity().parse({
    id: sampleId(900),
    type: 'login',
    createdAt: '2026-11-22T08:00:00.000Z',
    user: CAMILLE,
    target: null,
    channel: null,
    address: null,
    details: null,
    ...part,
  });

const words: Partial<Record<Language, I18n>> = {};
beforeAll(async () => {
  for (const language of LANGUAGES) {
    const i18n = await createI18n({ readPreference: (_name, schema) => schema.parse(language) });
    await i18n.loadNamespaces(['activities']);
    words[language] = i18n;
  }
});
const wordsOf = (language: Language) => {
  const found = words[language];
  if (found === undefined) throw new Error(`No words of ${language}`);
  return found.fixedT(language, 'activities');
};

/** Expects no key instead of a sentence, no open gap, and no elision that a name would need. */
function expectWhole(line: string): void {
  expect(line).not.toMatch(/[{}_]|undefined|null|^\s|\s$/u);
  expect(line).not.toMatch(
    /\b(?:d|l|qu)[’'](?:Camille|Awa|Équipe)|\b(?:de|le|la|que) (?:«\u00a0)?(?:Camille|Awa|Équipe)/u,
  );
  expect(line).not.toMatch(/\p{L}(?:\(e\)|·e)/u);
}

describe.each(LANGUAGES)('the sentences in %s', (language) => {
  test.each(loggedType.options)('[LOGS1] say everything that is known of %s', (type) => {
    const t = wordsOf(language);
    const ways = VARIANTS[type];
    const details = [
      null,
      ...[0, 1, 2, 1_000_000].flatMap((n) => ways?.(Math.max(n, type === 'sign_in_failure' ? 1 : 0)) ?? []),
    ];
    for (const detail of details) {
      for (const user of [CAMILLE, null]) {
        for (const target of [null, AWA, CAMILLE]) {
          for (const channel of [null, NORD]) {
            const entry = entryOf({ type, user, target, channel, details: detail });
            const line = activityLine(t, entry, language);
            const { actor } = activityWords(t, entry, language);
            expectWhole(line);
            if (user !== null) expect(actor).toBe('Camille');
            if (target === AWA && TO_SOMEBODY.has(type)) expect(line).toContain('Awa');
            if (channel !== null && IN_CHANNEL.test(type)) expect(line).toContain('Équipe Nord');
          }
        }
      }
    }
  });
});

test.each([
  ['fr', 'message_send', 'Camille a envoyé un message dans le canal «\u00a0Équipe Nord\u00a0»'],
  ['en', 'message_send', 'Camille sent a message in “Équipe Nord”'],
  ['de', 'message_send', 'Camille hat eine Nachricht in „Équipe Nord“ gesendet'],
  ['fr', 'membership_remove', 'Camille a retiré Awa du canal «\u00a0Équipe Nord\u00a0»'],
] as const)('[LOGS1] the whole sentence, in %s of %s', (language, type, line) => {
  const target = type === 'membership_remove' ? AWA : null;
  expect(activityLine(wordsOf(language), entryOf({ type, target, channel: NORD }), language)).toBe(line);
});

test.each([
  ['fr', 1, 'a importé 1 compte'],
  ['fr', 0, 'a importé 0 compte'],
  ['fr', 1_200, 'a importé 1\u202f200 comptes'],
  ['fr', 1_000_000, 'a importé 1\u202f000\u202f000 comptes'],
  ['en', 0, 'imported 0 accounts'],
  ['en', 1, 'imported 1 account'],
  ['de', 1, 'hat 1 Konto importiert'],
  ['de', 2, 'hat 2 Konten importiert'],
] as const)('[LOGS1] one and many, in %s: %d', (language, created, act) => {
  const details = { created, existing: 0, rejected: 0, repeated: 0 };
  expect(activityWords(wordsOf(language), entryOf({ type: 'user_import', details }), language).act).toBe(act);
});

test('[LOGS2] what somebody does to themselves is said of them alone', () => {
  const act = (type: LoggedType) => activityWords(wordsOf('fr'), entryOf({ type, target: CAMILLE }), 'fr').act;
  expect(act('password_change')).toBe('a changé son mot de passe');
  expect(act('user_update')).toBe('a modifié son profil');
  expect(act('session_end')).toBe('a fermé toutes ses sessions');
  const one = entryOf({ type: 'session_end', target: CAMILLE, details: { isOne: true } });
  expect(activityWords(wordsOf('fr'), one, 'fr').act).toBe('a fermé une de ses sessions');
});

test('[LOGS2] without anybody who did it the entry says what happened', () => {
  const line = (part: Parameters<typeof entryOf>[0]) =>
    activityLine(wordsOf('fr'), entryOf({ user: null, ...part }), 'fr');
  expect(line({ type: 'sign_in_failure', target: AWA, details: { reason: 'password', count: 3 } })).toBe(
    '3 connexions refusées au compte «\u00a0Awa\u00a0»',
  );
  expect(line({ type: 'activity_delete', details: { before: BEFORE, count: 4, by: 'retention' } })).toMatch(
    /^Fin de conservation\u00a0: 4 entrées du journal d’avant le 22 oct\. 2026 \d\d:\d\d supprimées$/u,
  );
});

test('[LOGS3] [NAME5] a name from right to left stands isolated in its sentence, others as they are', () => {
  const channel = { id: NORD.id, name: 'صفر' };
  const user = { ...CAMILLE, display_name: 'דנה' };
  expect(activityLine(wordsOf('en'), entryOf({ type: 'channel_join', user, channel }), 'en')).toBe(
    '\u2068דנה\u2069 entered “\u2068صفر\u2069”',
  );
});

test.each([
  ['fr', 'Message envoyé dans «\u00a0Nord\u00a0»', 'Session ouverte'],
  ['en', 'Sent a message in “Nord”', 'Signed in'],
  ['de', 'Nachricht gesendet in „Nord“', 'Angemeldet'],
] as const)('[LOGS1] where the name is shown already, the sentence leaves it out, in %s', (language, placed, plain) => {
  const t = wordsOf(language);
  expect(activitySentence(t, { type: 'message_send', channel: { name: 'Nord' } })).toBe(placed);
  expect(activitySentence(t, { type: 'login', channel: null })).toBe(plain);
});
