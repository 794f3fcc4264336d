import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { Activity } from '@pressel/contract/activities';
import { type LoggedType, loggedType } from '@pressel/contract/activity-types';
import { type ReactNode, useState } from 'react';
import { formatDateTime, formatShortDate } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { type ActivitiesView, isMoment, isReversed, PRESETS, presetPeriod } from './activities-view.ts';
import styles from './activity-filters.module.css';
import { FilterButton } from './filter-button.tsx';
import { PickFilter } from './pick-filter.tsx';

export interface ActivityFiltersProps {
  view: ActivitiesView;
  onView: (change: Partial<ActivitiesView>, isTyped?: boolean) => void;
  /** The entries shown: they also name people and channels that no longer exist. */
  shown: readonly Activity[];
  /** Shown at the end of the filters' last line. */
  children: ReactNode;
}

const SCOPES = ['spec', 'audit', 'all'] as const;

/** Filters the entries that the page shows: each filter is a button that says what it is set to. */
export function ActivityFilters({ view, onView, shown, children }: ActivityFiltersProps) {
  const { t } = useTranslation('activityLog');
  return (
    <section className={styles.filters} aria-label={t('filter.label')}>
      <FilterBox value={view.q ?? ''} onChange={(q) => onView({ q: q || undefined })} label={t('filter.text')} />
      <NativeSelect
        className={styles.scope}
        aria-label={t('filter.scope')}
        value={view.scope ?? 'spec'}
        // A choice of types overrides it.
        disabled={view.types !== undefined}
        data={SCOPES.map((scope) => ({ value: scope, label: t(`filter.scopes.${scope}`) }))}
        onChange={(event) => {
          const scope = SCOPES.find((one) => one === event.currentTarget.value);
          onView({ scope: scope === 'spec' ? undefined : scope });
        }}
      />
      <TypeFilter types={view.types} onTypes={(types) => onView({ types })} />
      <PickFilter
        kind="by"
        id={view.by}
        onPick={(by) => onView({ by })}
        fallback={shown.find(({ user }) => user?.id === view.by)?.user?.display_name}
      />
      <PickFilter
        kind="target"
        id={view.target}
        onPick={(target) => onView({ target })}
        fallback={shown.find(({ target }) => target?.id === view.target)?.target?.display_name}
      />
      <PickFilter
        kind="channel"
        id={view.channel}
        onPick={(channel) => onView({ channel })}
        fallback={shown.find(({ channel }) => channel?.id === view.channel)?.channel?.name}
      />
      <PeriodFilter from={view.from} to={view.to} onPeriod={onView} />
      {children}
    </section>
  );
}

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
type TypeGroup = keyof typeof TYPE_GROUPS;

interface TypeFilterProps {
  types: readonly LoggedType[] | undefined;
  onTypes: (types: LoggedType[] | undefined) => void;
}

const GROUPS = Object.keys(TYPE_GROUPS) as TypeGroup[];

/** Filters types of entries, singly or a group at once. */
function TypeFilter({ types, onTypes }: TypeFilterProps) {
  const { t } = useTranslation('activityLog');
  const { t: words } = useTranslation('activities');
  const picked = new Set<LoggedType>(types);
  const pick = (changed: readonly LoggedType[], isPicked: boolean) => {
    const next = loggedType.options.filter((type) => (changed.includes(type) ? isPicked : picked.has(type)));
    onTypes(next.length === 0 ? undefined : next);
  };
  const [only] = types?.length === 1 ? types : [];
  const value = only === undefined ? types && t('filter.typesOn', { count: types.length }) : words(`short.${only}`);
  return (
    <FilterButton name={t('filter.types')} value={value} onOff={() => onTypes(undefined)}>
      {() => (
        <div className={styles.types}>
          {GROUPS.map((group) => {
            const ofGroup: readonly LoggedType[] = TYPE_GROUPS[group];
            const count = ofGroup.filter((type) => picked.has(type)).length;
            return (
              <fieldset key={group} className={styles.group}>
                <legend>
                  <Checkbox
                    label={t(`group.${group}`)}
                    checked={count === ofGroup.length}
                    indeterminate={count > 0 && count < ofGroup.length}
                    onChange={(event) => pick(ofGroup, event.currentTarget.checked)}
                  />
                </legend>
                {ofGroup.map((type) => (
                  <Checkbox
                    key={type}
                    size="sm"
                    label={words(`short.${type}`)}
                    checked={picked.has(type)}
                    onChange={(event) => pick([type], event.currentTarget.checked)}
                  />
                ))}
              </fieldset>
            );
          })}
        </div>
      )}
    </FilterButton>
  );
}

interface PeriodFilterProps {
  /** Days as 'yyyy-MM-dd', or minutes as 'yyyy-MM-ddTHH:mm'; both are included. */
  from: string | undefined;
  to: string | undefined;
  /** `isTyped`: typed letter by letter, so that it adds no history entry. */
  onPeriod: (change: Pick<ActivitiesView, 'from' | 'to'>, isTyped?: boolean) => void;
}

/** Fields for the first and the last day or minute, and buttons for the most common periods. */
function PeriodFilter({ from, to, onPeriod }: PeriodFilterProps) {
  const { t } = useTranslation('activityLog');
  const { current } = useLanguage();
  const shown = (moment: string) =>
    moment.includes('T') ? formatDateTime(moment, current) : formatShortDate(`${moment}T12:00`, current);
  const value = () => {
    if (from !== undefined && from === to) return t('filter.at', { at: shown(from) });
    if (from !== undefined && to !== undefined) return t('filter.betweenOn', { from: shown(from), to: shown(to) });
    if (from !== undefined) return t('filter.fromOn', { from: shown(from) });
    return to === undefined ? undefined : t('filter.toOn', { to: shown(to) });
  };
  const off = { from: undefined, to: undefined };
  return (
    <FilterButton name={t('filter.period')} value={value()} onOff={() => onPeriod(off)}>
      {(close) => (
        <div className={styles.period}>
          <div className={styles.presets}>
            {PRESETS.map((preset) => (
              <Button
                key={preset}
                variant="default"
                onClick={() => {
                  onPeriod(presetPeriod(preset, new Date()));
                  close();
                }}
              >
                {t(`filter.${preset}`)}
              </Button>
            ))}
          </div>
          <MomentField
            side="from"
            moment={from}
            max={to}
            onMoment={(moment, isTyped) => onPeriod({ from: moment, to }, isTyped)}
          />
          <MomentField
            side="to"
            moment={to}
            min={from}
            onMoment={(moment, isTyped) => onPeriod({ from, to: moment }, isTyped)}
          />
          {isReversed({ from, to }) && (
            <p className={styles.fault} role="alert">
              {t('filter.reversed')}
            </p>
          )}
        </div>
      )}
    </FilterButton>
  );
}

interface MomentFieldProps {
  side: 'from' | 'to';
  moment: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onMoment: (moment: string | undefined, isTyped?: boolean) => void;
}

/** Fields for a day and, unless the whole day is meant, a time. A time alone means today. */
function MomentField({ side, moment = '', min, max, onMoment }: MomentFieldProps) {
  const { t } = useTranslation('activityLog');
  const [day = '', time] = moment.split('T');
  const join = (nextDay: string, nextTime: string | undefined) =>
    nextTime === undefined || nextTime === '' ? nextDay : `${nextDay}T${nextTime}`;
  return (
    <div className={styles.moment}>
      <DayField
        label={t(`filter.${side}`)}
        day={day}
        min={min?.split('T')[0]}
        max={max?.split('T')[0]}
        onDay={(next) => onMoment(next && join(next, time))}
      />
      <TextInput
        type="time"
        label={t(`filter.${side}Time`)}
        value={time ?? ''}
        onChange={(event) => {
          const next = event.currentTarget.value;
          const today = presetPeriod('today', new Date()).from ?? '';
          onMoment(next === '' ? day || undefined : join(day || today, next), time !== undefined && next !== '');
        }}
      />
    </div>
  );
}

interface DayFieldProps {
  label: string;
  day: string;
  min: string | undefined;
  max: string | undefined;
  onDay: (day: string | undefined) => void;
}

/**
 * A field for a day. While its year is typed the field has other years, such as 0002. They are no choice yet, but
 * resetting them would take away what is typed.
 */
function DayField({ label, day, min, max, onDay }: DayFieldProps) {
  const [typed, setTyped] = useState({ text: day, day });
  if (typed.day !== day) setTyped({ text: day, day });
  return (
    <TextInput
      type="date"
      label={label}
      value={typed.text}
      min={min}
      max={max}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped({ text, day });
        if (text === '' || isMoment(text)) onDay(text || undefined);
      }}
      onBlur={() => setTyped({ text: day, day })}
    />
  );
}
