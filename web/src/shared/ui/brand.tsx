import styles from './brand.module.css';

/** The product's name; the same in every language. */
export const PRODUCT_NAME = 'Pressel';

/** Logo and product name. */
export function Brand() {
  return (
    <span className={styles.brand}>
      <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="currentColor" />
        <circle className={styles.sign} cx="16" cy="16" r="4.6" />
        <path className={styles.wave} d="M8.6 8.6a10.5 10.5 0 0 0 0 14.8M23.4 8.6a10.5 10.5 0 0 1 0 14.8" />
      </svg>
      <span translate="no">{PRODUCT_NAME}</span>
    </span>
  );
}
