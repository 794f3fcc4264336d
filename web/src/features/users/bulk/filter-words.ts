import { activityType } from '@pressel/contract/activity-types';
import { getUserIds } from '@pressel/contract/users';
import { activitySentence } from '#src/shared/activity-sentence.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { folded } from '#src/shared/lists/folded.ts';
import { filterQuery } from '#src/shared/lists/list-view.ts';
import type { RowWords } from '#src/shared/lists/lists.queries.ts';
import { useApi } from '#src/shared/services.tsx';

/** Directional marks round what stands in a sentence, which nobody types. */
const ISOLATES = /[\u2066-\u2069]/gu;

/**
 * Finds what the server cannot filter, because only the reader's texts say it: last activities and states whose words
 * contain the filter.
 */
export function useFilterWords(): (filter: string) => RowWords {
  const { t } = useTranslation('users');
  const { t: activities } = useTranslation('activities');
  return (filter) => {
    const wanted = folded(filter.trim());
    const contains = (text: string) => folded(text.replace(ISOLATES, '')).includes(wanted);
    const types = activityType.options.filter((type) =>
      [null, { name: '' }].some((channel) => contains(activitySentence(activities, { type, channel }))),
    );
    return {
      activityTypes: [...types, ...(contains(activities('none')) ? (['none'] as const) : [])],
      states: (['online', 'offline'] as const).filter((state) => contains(t(state))),
    };
  };
}

/** Reads the ids of all users that a filter finds; of all users without one. */
export function useFoundUsers(filter: string): () => Promise<readonly string[]> {
  const { current } = useLanguage();
  const api = useApi();
  const wordsOf = useFilterWords();
  return async () => {
    const query = filter.trim() === '' ? {} : { ...filterQuery(filter, current), ...wordsOf(filter) };
    return (await api.call(getUserIds, query)).res;
  };
}
