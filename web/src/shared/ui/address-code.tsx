import { IconInfoCircle } from '@tabler/icons-react';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { useTranslation } from '../i18n/use-translation.tsx';
import styles from './address-code.module.css';
import { LazySection } from './lazy-section.tsx';

const QrCode = lazyComponent(async () => (await import('./qr-code.tsx')).QrCode);

/** The use of an address on other devices. `thisComputer`: they can't open it. `noMicrophone`: they can't speak without https. */
export type Reach = 'everywhere' | 'thisComputer' | 'noMicrophone';

export function reachOf({ hostname, protocol }: Pick<URL, 'hostname' | 'protocol'>): Reach {
  if (/^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname)) return 'thisComputer';
  return protocol === 'https:' ? 'everywhere' : 'noMicrophone';
}

/**
 * This console's address with its QR code for another device, and the obstacles to opening it there. An empty place
 * while the address is undefined.
 */
export function AddressCode({ address }: { address: string | undefined }) {
  const { t } = useTranslation('shared');
  if (address === undefined) return <div className={styles.code} />;
  const reach = reachOf(new URL(address));
  return (
    <div className={styles.place}>
      {reach !== 'thisComputer' && (
        <div className={styles.code}>
          <LazySection>
            <QrCode text={address} label={t('address.code', { address })} />
          </LazySection>
        </div>
      )}
      <div className={styles.words}>
        <span className={styles.address} dir="ltr">
          {address}
        </span>
        {reach !== 'everywhere' && (
          <p className={styles.hint}>
            <IconInfoCircle size={16} aria-hidden="true" />
            {t(`address.${reach}`)}
          </p>
        )}
      </div>
    </div>
  );
}
