import { Button } from '@mantine/core';
import { IconCheck, IconCopy, IconPrinter } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSharedOrigin } from '#src/shared/server-origin.ts';
import { AddressCode } from '#src/shared/ui/address-code.tsx';
import { useCopy } from '#src/shared/use-copy.ts';
import styles from './account-card.module.css';

/** An account whose password was just set. Held in memory only, and only while its card is shown [AUTH21]. */
export interface HandedAccount {
  name: string;
  login: string;
  password: string;
}

export interface AccountCardProps {
  account: HandedAccount;
  onDone: () => void;
  /** Called to begin with the next account. */
  onAnother?: () => void;
}

/** Shows what a user needs to sign in, to be copied or printed: nobody can read the password again [AUTH21]. */
export function AccountCard({ account, onDone, onAnother }: AccountCardProps) {
  const { t } = useTranslation('userForm');
  const { t: shared } = useTranslation('shared');
  const titleId = useId();
  const { copied, copy } = useCopy();
  const address = useSharedOrigin();
  const lines = [
    [t('card.login'), account.login],
    [t('card.password'), account.password],
  ] as const;
  const text = [
    t('card.for', { name: account.name }),
    ...[...(address === undefined ? [] : [[t('card.address'), address] as const]), ...lines].map(([what, value]) =>
      t('card.line', { what, value }),
    ),
  ].join('\n');
  return (
    <>
      <section className={styles.card} aria-labelledby={titleId}>
        <h3 id={titleId} className={styles.title}>
          {t('card.for', { name: account.name })}
        </h3>
        <AddressCode address={address} />
        <dl className={styles.lines}>
          {lines.map(([what, value]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd dir="ltr">{value}</dd>
            </div>
          ))}
        </dl>
        <p className={styles.how}>{t('card.how')}</p>
      </section>
      <p className={styles.once}>{t('card.once')}</p>
      <div className={styles.acts}>
        <span role="status" className={styles.copied}>
          {copied === 'yes' && t('card.copied')}
          {copied === 'by hand' && t('card.byHand')}
        </span>
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden="true" />}
          onClick={() => window.print()}
        >
          {t('card.print')}
        </Button>
        <Button
          variant="default"
          leftSection={
            copied === 'yes' ? <IconCheck size={16} aria-hidden="true" /> : <IconCopy size={16} aria-hidden="true" />
          }
          onClick={() => copy(text)}
          data-autofocus=""
        >
          {t('card.copy')}
        </Button>
        {onAnother && (
          <Button variant="default" onClick={onAnother}>
            {t('card.another')}
          </Button>
        )}
        <Button onClick={onDone}>{shared('close')}</Button>
      </div>
    </>
  );
}
