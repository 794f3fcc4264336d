import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { ChunkGoneError } from '#src/shared/renewal.ts';
import { useServices } from '#src/shared/services.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import styles from './lazy-section.module.css';

interface LazySectionProps {
  children: ReactNode;
}

/** A part of a page. It is empty while it loads. An error, or a failure to load, is shown in its place [APP11]. */
export function LazySection({ children }: LazySectionProps) {
  return (
    <ErrorBoundary failed={(error, onRetry) => <LazyFailure error={error} onRetry={onRetry} />}>
      <Suspense fallback={null}>{children}</Suspense>
    </ErrorBoundary>
  );
}

interface LazyOverlayProps extends LazySectionProps {
  isOpen: boolean;
  /** Undefined if nobody can close it. */
  onClose?: (() => void) | undefined;
}

/** The same for a part that opens over a page. After a failure, opening it again tries again. */
export function LazyOverlay({ children, isOpen, onClose }: LazyOverlayProps) {
  return (
    <ErrorBoundary
      retryWith={isOpen}
      failed={(error, onRetry) => isOpen && <LazyFailure error={error} onRetry={onRetry} onClose={onClose} isOver />}
    >
      <Suspense fallback={null}>{children}</Suspense>
    </ErrorBoundary>
  );
}

interface LazyFailureProps {
  error: unknown;
  onRetry: () => void;
  onClose?: (() => void) | undefined;
  isOver?: boolean;
}

/**
 * Not a dialog: it takes no focus and covers no talk button. It reloads only by its button, whether the user is in a
 * room or not.
 */
function LazyFailure({ error, onRetry, onClose, isOver }: LazyFailureProps) {
  const { t } = useTranslation('shared');
  const app = useTranslation('app');
  const shell = useTranslation('shell');
  const { renewal } = useServices();
  const isGone = error instanceof ChunkGoneError;
  return (
    <div className={styles.failed} role="alert" data-over={isOver}>
      <p>
        <IconAlertTriangle size={20} aria-hidden="true" />
        {shell.t(isGone ? 'part.gone' : 'part.broken')}
      </p>
      <div className={styles.acts}>
        <Button onClick={onRetry}>{t('retry')}</Button>
        {isGone && (
          <Button variant="default" onClick={() => void renewal.reload()}>
            {app.t('crash.reload')}
          </Button>
        )}
        {onClose && (
          <Button variant="default" onClick={onClose}>
            {t('close')}
          </Button>
        )}
      </div>
    </div>
  );
}
