import type { UserActivity } from '@pressel/contract/users';
import { activitySentence } from '#src/shared/activity-sentence.ts';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

import styles from '../users.module.css';

/** What somebody did last, and when. The sentence gives way where the column is narrow: all of it is in the hint. */
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
