import { VisuallyHidden } from '@mantine/core';
import type { Trend } from '@pressel/contract/dashboard';
import { IconArrowDownRight, IconArrowUpRight, IconMinus } from '@tabler/icons-react';
import { formatChange, formatNumber, formatShortDay } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './figures.module.css';

/** Shows how many there are, how that changed within ten days, and how many were created on each of them. */
export function TrendTile({ label, trend }: { label: string; trend: Trend }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  return (
    <div className={styles.tile}>
      <h3 className={styles.label}>{label}</h3>
      <p className={styles.number}>{formatNumber(trend.total, current)}</p>
      <Change percent={trend.changePercent} />
      <table className={styles.trend}>
        <VisuallyHidden component="caption">{t('trend.caption', { what: label })}</VisuallyHidden>
        <tbody>
          {trend.days.map(({ day, created }) => (
            <tr key={day} title={t('trend.day', { day: formatShortDay(day, current), created })}>
              <VisuallyHidden renderRoot={(props) => <th scope="row" {...props} />}>
                {formatShortDay(day, current)}
              </VisuallyHidden>
              <td>
                <VisuallyHidden>{formatNumber(created, current)}</VisuallyHidden>
                <span className={styles.bar} style={{ height: barHeight(created, trend) }} aria-hidden="true" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Change({ percent }: { percent: number | null }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  if (percent === null) return <p className={styles.change}>{t('trend.new')}</p>;
  const Icon = percent === 0 ? IconMinus : percent > 0 ? IconArrowUpRight : IconArrowDownRight;
  return (
    <p className={styles.change}>
      <Icon size={16} aria-hidden="true" />
      {percent === 0 ? t('trend.same') : t('trend.change', { percent: formatChange(percent, current) })}
    </p>
  );
}

/** A day without any keeps a trace, so that ten days are visible. */
const barHeight = (created: number, { days }: Trend): string =>
  `max(2px, ${(100 * created) / Math.max(1, ...days.map((one) => one.created))}%)`;
