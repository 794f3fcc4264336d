import { activityType } from '@pressel/contract/activity-types';
import { activitySentence } from '#src/shared/activity-sentence.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { folded } from '#src/shared/lists/folded.ts';
import type { RowWords } from '#src/shared/lists/lists.queries.ts';

/** Directional marks round what stands in a sentence, which nobody types. */
const ISOLATES = /[\u2066-\u2069]/gu;

/**
 * What of a row the server cannot read, because only the reader's catalogue says it: which last activities and states
 * contain the filter in their words.
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
