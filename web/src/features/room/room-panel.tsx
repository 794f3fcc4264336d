import { Button, Loader } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ErrorBoundary } from '#src/shared/ui/error-boundary.tsx';
import styles from './room-frame.module.css';

/** The content of a panel. Its errors and loading states show in its place, so the voice goes on. */
export function RoomPanel({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary failed={(_error, onRetry) => <PanelFailed onRetry={onRetry} />}>
      <Suspense fallback={<PanelLoading />}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function PanelFailed({ onRetry }: { onRetry: () => void }) {
  const t = useVoiceWords();
  return (
    <div className={styles.failed} role="alert">
      <IconAlertTriangle size={24} aria-hidden="true" />
      <p>{t('panels.failed')}</p>
      <Button variant="default" onClick={onRetry}>
        {t('panels.retry')}
      </Button>
    </div>
  );
}

function PanelLoading() {
  const t = useVoiceWords();
  return (
    <div className={styles.loading} role="status" aria-label={t('panels.loading')}>
      <Loader size="sm" />
    </div>
  );
}
