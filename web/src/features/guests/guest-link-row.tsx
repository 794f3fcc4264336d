import { Button } from '@mantine/core';
import type { GuestLink } from '@pressel/contract/guests';
import { IconCircleFilled, IconClock, IconLinkOff } from '@tabler/icons-react';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { inWords } from './guest-name.rules.ts';
import styles from './guests.module.css';

export interface GuestLinkRowProps {
  link: GuestLink;
  /** When the list was read, ms since the epoch. */
  now: number;
  /** `opener` is the element that had the focus. */
  onWithdraw: (opener: HTMLElement) => void;
}

/** One guest link: its name, how long it lasts and its present guests; an open link can be withdrawn. */
export function GuestLinkRow({ link, now, onWithdraw }: GuestLinkRowProps) {
  const { t } = useTranslation('guests');
  const { current } = useLanguage();
  const date = (instant: string) => formatDateTime(instant, current);
  const isOpen = link.state === 'open';
  return (
    <li className={styles.link} data-state={link.state}>
      <div className={styles.linkHead}>
        <h3 className={styles.linkName} dir="auto">
          {link.name}
        </h3>
        <span className={styles.linkTime} title={t('link.until', { date: date(link.expiresAt) })}>
          {isOpen ? <IconClock size={16} aria-hidden="true" /> : <IconLinkOff size={16} aria-hidden="true" />}
          {link.state === 'open'
            ? t('link.expires', { in: inWords(new Date(link.expiresAt).getTime() - now, current) })
            : t(`link.${link.state}`)}
        </span>
        {isOpen && (
          <Button
            variant="default"
            size="xs"
            onClick={(event) => onWithdraw(event.currentTarget)}
            aria-label={t('withdraw.of', { name: link.name })}
          >
            {t('withdraw.act')}
          </Button>
        )}
      </div>
      {link.guests.length > 0 ? (
        <div className={styles.here}>
          <span className={styles.hereWord}>
            <IconCircleFilled size={10} aria-hidden="true" />
            {t('link.here')}
          </span>
          {link.guests.map(({ id, name }) => (
            <bdi key={id} className={styles.guest}>
              {name}
            </bdi>
          ))}
        </div>
      ) : (
        isOpen && <p className={styles.dim}>{t('link.nobody')}</p>
      )}
      <p className={styles.dim}>
        <span>{t('link.by', { name: link.createdBy, date: date(link.createdAt) })}</span>
        <span>{link.lastUsedAt === null ? t('link.unused') : t('link.used', { date: date(link.lastUsedAt) })}</span>
      </p>
    </li>
  );
}
