import { UnstyledButton } from '@mantine/core';
import type { Activity, FieldChange, TalkEnd } from '@pressel/contract/activities';
import type { CallEnd } from '@pressel/contract/calls';
import { IconChevronDown } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { activityWords } from '#src/shared/activity-sentence.ts';
import { formatDateTime, formatNumber, isolated } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './activity-details.module.css';

/** A button under an entry that opens its details: before and after of a change, figures, address. */
export function ActivityDetails({ activity }: { activity: Activity }) {
  const { t } = useTranslation('activityLog');
  const { t: words } = useTranslation('activities');
  const { current } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const changes = changesOf(activity);
  const facts = entryFieldsOf(activity);
  if (changes.length === 0 && facts.length === 0) return null;
  const what = t(changes.length > 0 ? 'change' : 'details');
  const { actor, act } = activityWords(words, activity, current);
  const entry = actor === null ? act : `${isolated(actor)} ${act}`;
  return (
    <>
      <UnstyledButton
        className={styles.opener}
        // There are many such buttons: heard alone, each must say whose details it opens.
        aria-label={t('detailsOf', { what, entry })}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {what}
        <IconChevronDown className={styles.chevron} size={14} aria-hidden="true" />
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={styles.details}>
          {changes.length > 0 && <Changes changes={changes} />}
          {facts.length > 0 && (
            <dl className={styles.facts}>
              {facts.map((fact) => (
                <div key={fact.kind}>
                  <dt>{t(`fact.${fact.kind}`)}</dt>
                  <dd>
                    <FactValue fact={fact} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      )}
    </>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  const { t } = useTranslation('activityLog');
  return (
    <table className={styles.changes}>
      <thead>
        <tr>
          <th scope="col">{t('field')}</th>
          <th scope="col">{t('from')}</th>
          <th scope="col">{t('to')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.field}>
            <th scope="row">{t(`changed.${change.field}`)}</th>
            <td data-side="from">
              <ChangeValue change={change} side="from" />
            </td>
            <td data-side="to">
              <ChangeValue change={change} side="to" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ChangeValue({ change, side }: { change: Change; side: 'from' | 'to' }) {
  const { t } = useTranslation('activityLog');
  if (change.field === 'role') return t(`role.${change[side]}`);
  if (change.field === 'mapRight') return t(change[side] ? 'yes' : 'no');
  const text = change[side];
  if (change.field === 'talkMode' && (text === 'single' || text === 'open')) return t(`talkMode.${text}`);
  if (change.field === 'photo') {
    if (text === '') return t('noPhoto');
    return t(side === 'to' && change.from !== '' ? 'otherPhoto' : 'photo');
  }
  if (text === '') return <span className={styles.blank}>{t('blank')}</span>;
  return <bdi>{text}</bdi>;
}

function FactValue({ fact }: { fact: EntryField }) {
  const { t } = useTranslation('activityLog');
  const { current } = useLanguage();
  switch (fact.value) {
    case 'text':
      return <bdi>{fact.text}</bdi>;
    case 'count':
      return formatNumber(fact.count, current);
    case 'moment':
      return <time dateTime={fact.at}>{formatDateTime(fact.at, current)}</time>;
    case 'duration': {
      const s = Math.round(fact.ms / 1000);
      if (s < 60) return t('time.seconds', { s });
      const m = Math.floor(s / 60);
      if (m < 60) return t('time.minutes', { m, s: s % 60 });
      return t('time.hours', { h: Math.floor(m / 60), m: m % 60 });
    }
    case 'yesNo':
      return t(fact.isYes ? 'yes' : 'no');
    case 'role':
      return t(`role.${fact.role}`);
    case 'end':
      return t(`end.${fact.end}`);
    case 'callEnd':
      return t(`callEnd.${fact.end}`);
    default:
      return t(`reason.${fact.reason}`);
  }
}

/** A field of an entry beyond its sentence. `kind` names its label, `value` says how to word it. */
type EntryField =
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
type Reason = DetailsOf<'sign_in_failure'>['reason'];

type EntryFieldKind =
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
type Change =
  | FieldChange
  | { field: 'role'; from: 'admin' | 'member'; to: 'admin' | 'member' }
  | { field: 'mapRight'; from: boolean; to: boolean };

/** Returns before and after, for an entry of a change. */
function changesOf(activity: Activity): readonly Change[] {
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
function entryFieldsOf(activity: Activity): readonly EntryField[] {
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
