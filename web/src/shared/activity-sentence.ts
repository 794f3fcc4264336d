import type { ActivityType } from '@pressel/contract/activity-types';
import type { UserActivity } from '@pressel/contract/users';
import type { TFunction } from 'i18next';

/** Whatever the name of a channel is written in, it does not turn the sentence round it (UAX #9, isolates). */
const isolated = (name: string): string => `\u2068${name}\u2069`;

/** Acts that happen in a channel; the others name none. */
const IN_CHANNEL = [
  'message_send',
  'image_send',
  'message_read',
  'channel_talk',
  'channel_join',
  'channel_leave',
  'connexion_lost',
  'channel_creation',
  'channel_update',
  'channel_delete',
] as const satisfies ActivityType[];

/** What somebody did last, as a sentence that fits everybody. */
export function activitySentence(
  t: TFunction<'activities'>,
  { type, channel }: Pick<UserActivity, 'type' | 'channel'>,
) {
  const placed = IN_CHANNEL.find((one) => one === type);
  if (channel === null || placed === undefined) return t(`act.${type}`);
  return t(`actIn.${placed}`, { channel: isolated(channel.name) });
}
