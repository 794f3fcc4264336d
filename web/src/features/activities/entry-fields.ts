import type { Activity, FieldChange, TalkEnd } from '@pressel/contract/activities';
import type { CallEnd } from '@pressel/contract/calls';

/** A field of an entry beyond its sentence. `kind` names its label, `value` says how to word it. */
export type EntryField =
  | { kind: EntryFieldKind; value: 'text'; text: string }
  | { kind: EntryFieldKind; value: 'count'; count: number }
  | { kind: EntryFieldKind; value: 'moment'; at: string }
  | { kind: EntryFieldKind; value: 'duration'; ms: number }
  | { kind: EntryFieldKind; value: 'yesNo'; isYes: boolean }
  | { kind: EntryFieldKind; value: 'role'; role: 'admin' | 'member' }
  | { kind: 'end'; value: 'end'; end: TalkEnd }
  | { kind: 'callEnd'; value: 'callEnd'; end: CallEnd }
  | { kind: 'reason'; value: 'reason'; reason: Reason };

type DetailsOf<T extends Activity['type']> = NonNullable<Extract<Activity, { type: T }>['details']>;
export type Reason = DetailsOf<'sign_in_failure'>['reason'];

export type EntryFieldKind =
  | 'duration'
  | 'stay'
  | 'end'
  | 'members'
  | 'login'
  | 'role'
  | 'mapRight'
  | 'channels'
  | 'reason'
  | 'attempts'
  | 'messageOf'
  | 'created'
  | 'existing'
  | 'rejected'
  | 'repeated'
  | 'linkName'
  | 'expires'
  | 'callEnd'
  | 'address';

/** One change of an entry; its values are words already only where they are text. */
export type Change =
  | FieldChange
  | { field: 'role'; from: 'admin' | 'member'; to: 'admin' | 'member' }
  | { field: 'mapRight'; from: boolean; to: boolean };

/** Returns before and after, for an entry of a change. */
export function changesOf(activity: Activity): readonly Change[] {
  if (activity.details === null) return [];
  switch (activity.type) {
    case 'channel_update':
    case 'user_update':
      return activity.details.changes;
    case 'role_change':
      return [{ field: 'role', ...activity.details }];
    case 'map_right_change':
      return [{ field: 'mapRight', ...activity.details }];
    default:
      return [];
  }
}

const duration = (kind: EntryFieldKind, ms: number): EntryField => ({ kind, value: 'duration', ms });
const count = (kind: EntryFieldKind, amount: number): EntryField => ({ kind, value: 'count', count: amount });

/** Further facts of an entry, the network address last. */
export function entryFieldsOf(activity: Activity): readonly EntryField[] {
  const address: EntryField[] =
    activity.address === null ? [] : [{ kind: 'address', value: 'text', text: activity.address }];
  return [...detailsOf(activity), ...address];
}

function detailsOf(activity: Activity): readonly EntryField[] {
  if (activity.details === null) return [];
  switch (activity.type) {
    case 'channel_talk':
      return [
        duration('duration', activity.details.durationMs),
        { kind: 'end', value: 'end', end: activity.details.end },
      ];
    case 'channel_leave':
      return [duration('stay', activity.details.durationMs)];
    case 'connexion_lost':
      return activity.details.durationMs === undefined ? [] : [duration('stay', activity.details.durationMs)];
    case 'channel_creation':
      return activity.details.members === undefined ? [] : [count('members', activity.details.members)];
    case 'channel_delete':
      return [count('members', activity.details.members)];
    case 'user_creation':
      return [
        { kind: 'login', value: 'text', text: activity.details.login },
        { kind: 'role', value: 'role', role: activity.details.role },
        { kind: 'mapRight', value: 'yesNo', isYes: activity.details.mapRight },
        count('channels', activity.details.channels),
      ];
    case 'user_delete':
      return [
        { kind: 'login', value: 'text', text: activity.details.login },
        { kind: 'role', value: 'role', role: activity.details.role },
        count('channels', activity.details.channels),
      ];
    case 'sign_in_failure':
      return [
        { kind: 'reason', value: 'reason', reason: activity.details.reason },
        count('attempts', activity.details.count),
      ];
    case 'message_delete':
      return [{ kind: 'messageOf', value: 'moment', at: activity.details.createdAt }];
    case 'user_import':
    case 'channel_import': {
      const { created, existing, rejected, repeated } = activity.details;
      return [
        count('created', created),
        count('existing', existing),
        count('rejected', rejected),
        count('repeated', repeated),
      ];
    }
    case 'guest_link_creation':
      return [
        { kind: 'linkName', value: 'text', text: activity.details.name },
        { kind: 'expires', value: 'moment', at: activity.details.expiresAt },
      ];
    case 'call':
      return [
        duration('duration', activity.details.durationMs),
        { kind: 'callEnd', value: 'callEnd', end: activity.details.end },
      ];
    case 'call_missed':
      return [{ kind: 'callEnd', value: 'callEnd', end: activity.details.end }];
    case 'guest_link_withdrawal':
      return [{ kind: 'linkName', value: 'text', text: activity.details.name }];
    default:
      return [];
  }
}
