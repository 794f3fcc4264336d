import { Button } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './ask-list.module.css';

/** Something about the file that the user has to know or decide. */
export interface Ask {
  key: string;
  text: string;
  /** Samples of the data in question. */
  samples?: readonly string[];
  /** Rows may be lost, so nothing is sent before the answer. */
  isUrgent?: boolean;
  acts: readonly { label: string; onAct: () => void; isFirst?: boolean }[];
}

/** Questions about a file, each with its answers. The list is there when the user arrives, so it isn't announced again. */
export function AskList({ asks }: { asks: readonly Ask[] }) {
  const { t } = useTranslation('transfer');
  if (asks.length === 0) return null;
  return (
    <ul className={styles.asks} aria-label={t('ask.title')}>
      {asks.map(({ key, text, samples, isUrgent, acts }) => {
        const Icon = isUrgent ? IconAlertTriangle : IconInfoCircle;
        return (
          <li key={key} className={styles.ask} data-urgent={isUrgent || undefined}>
            <Icon className={styles.icon} size={18} aria-hidden="true" />
            <div className={styles.what}>
              <p>{text}</p>
              {samples !== undefined && samples.length > 0 && (
                <ul className={styles.samples}>
                  {samples.map((sample) => (
                    <li key={sample}>
                      <bdi>{sample}</bdi>
                    </li>
                  ))}
                </ul>
              )}
            </div>
            <div className={styles.acts}>
              {acts.map(({ label, onAct, isFirst }) => (
                <Button key={label} size="compact-md" variant={isFirst ? 'filled' : 'default'} onClick={onAct}>
                  {label}
                </Button>
              ))}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
