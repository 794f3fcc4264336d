import type { Activity } from '@pressel/contract/activities';
import type { LoggedType } from '@pressel/contract/activity-types';
import {
  IconBroadcast,
  IconDoorEnter,
  IconDoorExit,
  IconFileExport,
  IconFileImport,
  IconKey,
  IconLink,
  IconLinkOff,
  IconLogin2,
  IconLogout,
  IconLogout2,
  IconMail,
  IconMailOpened,
  IconMapPin,
  IconMapSearch,
  IconMapShare,
  IconMessage2Off,
  IconMicrophone,
  IconPencil,
  IconPhone,
  IconPhoneX,
  IconPhoto,
  IconPlugConnectedX,
  IconShieldCog,
  IconShieldX,
  IconTrash,
  IconUserEdit,
  IconUserPlus,
  IconUserShare,
  IconUsersMinus,
  IconUsersPlus,
  IconUserX,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { activityWords } from '#src/shared/activity-sentence.ts';
import { formatClock, formatDateTime, formatExactTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './timeline-entry.module.css';

export interface TimelineEntryProps {
  activity: Activity;
  /** Shown under the date. */
  children?: ReactNode;
  /** Date and time to the minute or `exact` to the second. `clock`: the entry is one line, under the heading of its day. */
  time?: 'minute' | 'exact' | 'clock';
}

/** An entry of the log as a sentence with icon and date. Its place in a list is its parent's: `li` or the like. */
export function TimelineEntry({ activity, children, time = 'minute' }: TimelineEntryProps) {
  const { t } = useTranslation('activities');
  const { current } = useLanguage();
  const { actor, act } = activityWords(t, activity, current);
  const Icon = ACTIVITY_ICONS[activity.type];
  /** The full text as a hint, because a single line may be cut off. */
  const cut = (text: string) => (time === 'clock' ? text : undefined);
  return (
    <article
      className={styles.entry}
      data-line={time === 'clock' || undefined}
      data-activity={activity.type}
      data-grave={GRAVE.has(activity.type) || undefined}
    >
      <span className={styles.icon}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <div className={styles.body}>
        <p className={styles.sentence}>
          {actor !== null && (
            <>
              <bdi className={styles.actor} title={cut(actor)}>
                {actor}
              </bdi>{' '}
            </>
          )}
          <span title={cut(act)}>{act}</span>
        </p>
        <time className={styles.moment} dateTime={activity.createdAt}>
          {time === 'minute' && formatDateTime(activity.createdAt, current)}
          {time === 'exact' && formatExactTime(activity.createdAt, current)}
          {time === 'clock' && formatClock(Date.parse(activity.createdAt), current)}
        </time>
        {children}
      </div>
    </article>
  );
}

/** One icon per kind of act; words say the same beside it. */
const ACTIVITY_ICONS: Readonly<Record<LoggedType, TablerIcon>> = {
  login: IconLogin2,
  logout: IconLogout,
  position_update: IconMapPin,
  position_get: IconMapSearch,
  message_send: IconMail,
  image_send: IconPhoto,
  message_read: IconMailOpened,
  channel_talk: IconMicrophone,
  channel_join: IconDoorEnter,
  channel_leave: IconDoorExit,
  connexion_lost: IconPlugConnectedX,
  channel_creation: IconBroadcast,
  channel_update: IconPencil,
  channel_delete: IconTrash,
  user_creation: IconUserPlus,
  user_update: IconUserEdit,
  user_delete: IconUserX,
  password_change: IconKey,
  role_change: IconShieldCog,
  map_right_change: IconMapShare,
  membership_add: IconUsersPlus,
  membership_remove: IconUsersMinus,
  sign_in_failure: IconShieldX,
  session_end: IconLogout2,
  message_delete: IconMessage2Off,
  user_import: IconFileImport,
  channel_import: IconFileImport,
  user_export: IconFileExport,
  channel_export: IconFileExport,
  activity_export: IconFileExport,
  activity_delete: IconTrash,
  guest_link_creation: IconLink,
  guest_link_withdrawal: IconLinkOff,
  guest_join: IconUserShare,
  call: IconPhone,
  call_missed: IconPhoneX,
};

/** Acts that can't be undone, or that report a failure. */
const GRAVE: ReadonlySet<LoggedType> = new Set([
  'connexion_lost',
  'channel_delete',
  'user_delete',
  'message_delete',
  'sign_in_failure',
  'activity_delete',
]);
