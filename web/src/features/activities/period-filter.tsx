import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatDateTime, formatShortDate } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type ActivitiesView, isMoment, isReversed, PRESETS, presetPeriod } from './activities-view.ts';
import styles from './activity-filters.module.css';
import { FilterButton } from './filter-button.tsx';

export interface PeriodFilterProps {
  /** Days as 'yyyy-MM-dd', or minutes as 'yyyy-MM-ddTHH:mm'; both are included. */
  from: string | undefined;
  to: string | undefined;
  /** `isTyped`: typed letter by letter, so that it adds no history entry. */
  onPeriod: (change: Pick<ActivitiesView, 'from' | 'to'>, isTyped?: boolean) => void;
}

/** Fields for the first and the last day or minute, and buttons for the most common periods. */
export function PeriodFilter({ from, to, onPeriod }: PeriodFilterProps) {
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
