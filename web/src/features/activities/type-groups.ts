import type { LoggedType } from '@pressel/contract/activity-types';

/** Types of entries, grouped as users look for them. Each is in one group. */
export const TYPE_GROUPS = {
  sessions: ['login', 'logout', 'connexion_lost', 'sign_in_failure', 'session_end'],
  channels: [
    'channel_join',
    'channel_leave',
    'channel_talk',
    'channel_creation',
    'channel_update',
    'channel_delete',
    'membership_add',
    'membership_remove',
  ],
  messages: ['message_send', 'image_send', 'message_read', 'message_delete'],
  positions: ['position_update', 'position_get'],
  accounts: ['user_creation', 'user_update', 'user_delete', 'password_change', 'role_change', 'map_right_change'],
  guests: ['guest_link_creation', 'guest_link_withdrawal', 'guest_join'],
  calls: ['call', 'call_missed'],
  transfers: ['user_import', 'channel_import', 'user_export', 'channel_export', 'activity_export', 'activity_delete'],
} as const satisfies Record<string, readonly LoggedType[]>;
export type TypeGroup = keyof typeof TYPE_GROUPS;
