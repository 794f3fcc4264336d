import type { Activity } from '@pressel/contract/activities';
import type { LoggedType } from '@pressel/contract/activity-types';
import type { UserActivity } from '@pressel/contract/users';
import { formatDateTime, isolated } from './format/format.ts';
import type { Translate } from './i18n/i18n.ts';
import type { Language } from './languages.ts';

type Words = Translate<'activities'>;

/** The facts that the words of an entry depend on. */
interface SentenceParts {
  type: LoggedType;
  /** A variant of the act, by its details. */
  flavour?: Flavour | undefined;
  target?: string | undefined;
  channel?: string | undefined;
  /** The user did it to themselves. */
  isSelf?: boolean;
  count?: number | undefined;
  before?: string | undefined;
}
type Flavour = 'several' | 'counted' | 'retention' | 'imported' | 'admin' | 'member' | 'given' | 'taken' | 'single';

/**
 * Words what somebody did last, without their name, for a place that shows the name already: 'Message envoyé dans «
 * Nord »'. Fits everybody.
 */
export const activitySentence = (t: Words, { type, channel }: Pick<UserActivity, 'type' | 'channel'>): string =>
  say(t, 'short', { type, channel: channel?.name });

/** An entry of the log in words. */
export interface ActivityWords {
  /** The user who did it; null when nobody is named. */
  actor: string | null;
  /** The act: goes on after the actor's name ('a envoyé un message'), or stands alone without one ('Message envoyé'). */
  act: string;
}

/** The words of an entry: `actor` and `act` with a space between them are one sentence in every language. */
export function activityWords(t: Words, activity: Activity, language: Language): ActivityWords {
  const { actor, ...facts } = sentencePartsOf(activity, language);
  return { actor, act: say(t, actor === null ? 'short' : 'did', facts) };
}

/** An entry as plain text: 'Camille a envoyé un message dans le canal « Nord »'. */
export function activityLine(t: Words, activity: Activity, language: Language): string {
  const { actor, act } = activityWords(t, activity, language);
  return actor === null ? act : `${isolated(actor)} ${act}`;
}

function sentencePartsOf(activity: Activity, language: Language): SentenceParts & { actor: string | null } {
  const { type, user, target, channel } = activity;
  return {
    type,
    actor: user?.display_name.trim() || null,
    target: target?.display_name,
    channel: channel?.name,
    isSelf: target !== null && target.id === user?.id,
    ...flavourOf(activity, language),
  };
}

function flavourOf(activity: Activity, language: Language): Pick<SentenceParts, 'flavour' | 'count' | 'before'> {
  if (activity.details === null) return {};
  switch (activity.type) {
    case 'channel_talk':
      return several(activity.details.talks);
    case 'sign_in_failure':
      return several(activity.details.count);
    case 'channel_creation':
      return activity.details.imported === true ? { flavour: 'imported' } : {};
    case 'user_creation':
      return activity.details.by === 'import' ? { flavour: 'imported' } : {};
    case 'role_change':
      return { flavour: activity.details.to };
    case 'map_right_change':
      return { flavour: activity.details.to ? 'given' : 'taken' };
    case 'session_end':
      return activity.details.isOne === true ? { flavour: 'single' } : {};
    case 'user_import':
    case 'channel_import':
      return { flavour: 'counted', count: activity.details.created };
    case 'user_export':
    case 'channel_export':
    case 'activity_export':
      return { flavour: 'counted', count: activity.details.count };
    case 'activity_delete': {
      const { before, count, by } = activity.details;
      const flavour = by === 'retention' ? 'retention' : 'counted';
      return { flavour, count, before: formatDateTime(before, language) };
    }
    default:
      return {};
  }
}

const several = (count: number | undefined): Pick<SentenceParts, 'flavour' | 'count'> =>
  count !== undefined && count > 1 ? { flavour: 'several', count } : {};

/** Returns the most complete sentence for the known facts: names count more than the variant. */
function say(t: Words, form: 'short' | 'did', { type, ...facts }: SentenceParts): string {
  const whom = facts.target === undefined ? [''] : [facts.isSelf && form === 'did' ? 'self' : '', 'target', ''];
  const where = facts.channel === undefined ? [''] : ['channel', ''];
  const flavours = facts.flavour === undefined ? [''] : [facts.flavour, ''];
  const keys = new Set<string>();
  for (const who of whom.filter((one, index) => one !== '' || index === whom.length - 1))
    for (const place of where)
      for (const flavour of flavours) keys.add([type, flavour, who, place].filter((part) => part !== '').join('_'));
  // Sound: a test says every entry in every language. The type of `t` can't follow composed keys.
  const paths = [...keys].map((key) => `${form}.${key}`) as Parameters<Words>[0];
  const { target, channel, before, count } = facts;
  return t(paths, { target, channel, before, count });
}
