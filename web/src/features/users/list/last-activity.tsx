import type { UserActivity } from '@pressel/contract/users';
import { activitySentence } from '#src/shared/activity-sentence.ts';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

import styles from '../users.module.css';

/** Shows what somebody did last, and when. In a narrow column the sentence is cut off; the hint has all of it. */
export function LastActivity({ activity }: { activity: UserActivity | undefined }) {
  const { t } = useTranslation('activities');
  const { t: users } = useTranslation('users');
  const { current } = useLanguage();
  if (activity === undefined)
    return (
      <span className={styles.noActivity} title={t('none')}>
        {t('none')}
      </span>
    );
  const sentence = activitySentence(t, activity);
  const moment = formatDateTime(activity.createdAt, current);
  return (
    <span className={styles.activity} title={users('activityHint', { sentence, moment })}>
      <span className={styles.sentence}>{sentence}</span>
      <span aria-hidden="true">·</span>
      <time className={styles.moment} dateTime={activity.createdAt}>
        {moment}
      </time>
    </span>
  );
}
