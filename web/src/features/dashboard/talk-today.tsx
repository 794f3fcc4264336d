import { VisuallyHidden } from '@mantine/core';
import type { ChannelTalk, Dashboard } from '@pressel/contract/dashboard';
import type { CSSProperties } from 'react';
import { formatDuration, formatNumber } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { Card, Nothing, ShowWaiting } from './card.tsx';
import page from './dashboard.module.css';
import styles from './talk-today.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Shows how much was said today, by channel and hour: the more was said, the darker the table's cell. */
export function TalkToday({ talk }: { talk: Dashboard['talkToday'] }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  const { rows, waiting, hold, onShow } = useSteadyRows(talk.channels, ({ id }) => id);
  const isQuiet = talk.channels.length === 0;
  const most = Math.max(1, ...talk.channels.flatMap(({ hours }) => hours.map(({ talkMs }) => talkMs)));
  return (
    <Card
      area="talk"
      title={t('talk.title')}
      fact={
        isQuiet
          ? undefined
          : [
              formatDuration(talk.talkMs, current),
              t('talk.transmissions', { count: talk.transmissions }),
              talk.brokenOff === 0 ? t('talk.allWhole') : t('talk.brokenOff', { count: talk.brokenOff }),
            ].join(' · ')
      }
    >
      <ShowWaiting count={waiting} onShow={onShow} />
      {rows.length === 0 ? (
        <div className={page.pane}>
          <Nothing>{t('talk.none')}</Nothing>
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and by keyboard too
        <section className={page.pane} tabIndex={0} aria-label={t('talk.caption')}>
          <table className={styles.heat} {...hold}>
            <VisuallyHidden component="caption">{t('talk.caption')}</VisuallyHidden>
            <thead>
              <tr>
                <td />
                {HOURS.map((hour) => (
                  <th key={hour} scope="col" className={styles.hour} data-labelled={hour % 6 === 0 || undefined}>
                    <span>{t('talk.hour', { hour })}</span>
                  </th>
                ))}
                <th scope="col" className={styles.sum}>
                  {t('talk.total')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ row }) => (
                <HeatRow key={row.id} channel={row} most={most} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}

function HeatRow({ channel, most }: { channel: ChannelTalk; most: number }) {
  const { t } = useTranslation('dashboard');
  const { current } = useLanguage();
  const said = ({ talkMs, transmissions }: { talkMs: number; transmissions: number }) =>
    transmissions === 0
      ? t('talk.silent')
      : t('talk.said', { count: transmissions, duration: formatDuration(talkMs, current) });
  return (
    <tr>
      <th scope="row" className={styles.channel} dir="auto" title={channel.name}>
        {channel.name}
      </th>
      {channel.hours.map((hour, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its index
        <td key={index} className={styles.cell} title={t('talk.cell', { hour: index, said: said(hour) })}>
          <span
            className={styles.heatCell}
            data-said={hour.transmissions > 0 || undefined}
            style={{ '--heat': heat(hour.talkMs, most) } as CSSProperties}
          />
          <VisuallyHidden>{said(hour)}</VisuallyHidden>
        </td>
      ))}
      <td className={styles.sum} title={t('talk.transmissions', { count: channel.transmissions })}>
        {formatDuration(channel.talkMs, current)}
        <span className={styles.times}>{formatNumber(channel.transmissions, current)}</span>
      </td>
    </tr>
  );
}

/** From a tenth, which is visible, to one. By the square root, as most hours are far below the fullest one. */
const heat = (talkMs: number, most: number): string => (0.1 + 0.9 * Math.sqrt(talkMs / most)).toFixed(2);
