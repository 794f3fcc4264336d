import { UnstyledButton } from '@mantine/core';
import type { Activity } from '@pressel/contract/activities';
import { IconChevronDown } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { activityWords } from '#src/shared/activity-sentence.ts';
import { formatDateTime, formatNumber, isolated } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './activity-details.module.css';
import { type Change, changesOf, type EntryField, entryFieldsOf } from './entry-fields.ts';

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
