import { Button, TextInput } from '@mantine/core';
import { GUESTS_PER_LINK } from '@pressel/contract/limits';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useCopy } from '#src/shared/use-copy.ts';
import styles from './guests.module.css';

/** A new link with its token, which nobody can read again. */
export interface Made {
  name: string;
  address: string;
}

/** Shows a new link once, so that the administrator can copy it [GUEST1]. */
export function MadeLink({ made, onDone }: { made: Made; onDone: () => void }) {
  const { t } = useTranslation('guests');
  const addressRef = useRef<HTMLInputElement>(null);
  const { copied, copy } = useCopy();
  useEffect(() => addressRef.current?.select(), []);
  return (
    <section className={styles.made} aria-label={t('made.title', { name: made.name })}>
      <h3 className={styles.madeTitle}>{t('made.title', { name: made.name })}</h3>
      <p className={styles.madeText}>{t('made.once', { max: GUESTS_PER_LINK })}</p>
      <TextInput
        ref={addressRef}
        label={t('made.address')}
        value={made.address}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
        classNames={{ input: styles.address ?? '' }}
      />
      <div className={styles.madeActs}>
        <Button
          onClick={() => {
            addressRef.current?.select();
            copy(made.address);
          }}
          leftSection={
            copied === 'yes' ? <IconCheck size={16} aria-hidden="true" /> : <IconCopy size={16} aria-hidden="true" />
          }
        >
          {t('made.copy')}
        </Button>
        <Button variant="default" onClick={onDone}>
          {t('made.done')}
        </Button>
        <span role="status" className={styles.copied}>
          {copied === 'yes' && t('made.copied')}
          {copied === 'by hand' && t('made.byHand')}
        </span>
      </div>
    </section>
  );
}
