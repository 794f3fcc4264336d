import { z } from './zod.ts';

/** The types of entries in the activity log (spec §3). */
export const activityType = z.enum([
  'login',
  'logout',
  'position_update',
  'position_get',
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
]);
export type ActivityType = z.infer<typeof activityType>;
