/**
 * The parts of the activity log that lists and sockets need. They are apart from its calls, so that opening a page
 * doesn't load those.
 */
import { serverEvent } from './socket.ts';
import { instant } from './text.ts';
import { z } from './zod.ts';

// Specification §3.
export const activityType = z
  .enum([
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
  ])
  .meta({ description: 'The types of entries in the activity log.' });
export type ActivityType = z.infer<typeof activityType>;

// Rule LOG20.
export const auditType = z
  .enum([
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
    'user_import',
    'channel_import',
    'user_export',
    'channel_export',
    'activity_export',
    'activity_delete',
    'guest_link_creation',
    'guest_link_withdrawal',
    'guest_join',
    'call',
    'call_missed',
  ])
  .meta({
    description: "Types beyond the specification's, for auditors: a client gets them only when it asks for them.",
  });
export type AuditType = z.infer<typeof auditType>;

export const loggedType = z
  .enum([...activityType.options, ...auditType.options])
  .meta({ description: 'Every type of entry.' });
export type LoggedType = z.infer<typeof loggedType>;

export const activityServerEvents = {
  activities_added: serverEvent(() =>
    z
      .object({ spec: z.int(), audit: z.int() })
      .meta({ description: 'To administrators: how many entries were added to the log. Once a second at most.' }),
  ),
  activities_deleted: serverEvent(() =>
    z
      .object({ before: instant })
      .meta({ description: 'To administrators: entries from before this moment were deleted.' }),
  ),
};
