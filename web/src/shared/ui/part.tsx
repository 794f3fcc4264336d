import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from '../i18n/use-translation.tsx';
import { PartGone } from '../renewal.ts';
import { useServices } from '../services.tsx';
import styles from './part.module.css';
import { PartBoundary } from './part-boundary.tsx';

interface PartProps {
  children: ReactNode;
}

/** A part of a page. It is empty while it loads. An error, or a failure to load, is shown in its place [APP11]. */
export function Part({ children }: PartProps) {
  return (
    <PartBoundary failed={(error, onRetry) => <PartFailed error={error} onRetry={onRetry} />}>
      <Suspense fallback={null}>{children}</Suspense>
    </PartBoundary>
  );
}

interface PartOverProps extends PartProps {
  isOpen: boolean;
  /** Undefined if nobody can close it. */
  onClose?: (() => void) | undefined;
}

/** The same for a part that opens over a page. After a failure, opening it again tries again. */
export function PartOver({ children, isOpen, onClose }: PartOverProps) {
  return (
    <PartBoundary
      retryWith={isOpen}
      failed={(error, onRetry) => isOpen && <PartFailed error={error} onRetry={onRetry} onClose={onClose} isOver />}
    >
      <Suspense fallback={null}>{children}</Suspense>
    </PartBoundary>
  );
}

interface PartFailedProps {
  error: unknown;
  onRetry: () => void;
  onClose?: (() => void) | undefined;
  isOver?: boolean;
}

/**
 * Not a dialog: it takes no focus and covers no talk button. It reloads only by its button, whether the user is in a
 * room or not.
 */
function PartFailed({ error, onRetry, onClose, isOver }: PartFailedProps) {
  const { t } = useTranslation('shared');
  const app = useTranslation('app');
  const shell = useTranslation('shell');
  const { renewal } = useServices();
  const isGone = error instanceof PartGone;
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
