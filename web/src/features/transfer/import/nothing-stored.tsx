import { Button } from '@mantine/core';
import { IconAlertTriangle, IconHandStop } from '@tabler/icons-react';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import type { RunEnd } from './import-run.ts';

export interface NothingStoredProps {
  end: Exclude<RunEnd, { end: 'stored' }>;
  /** Goes back to the rows; undefined when they were lost by a reload. */
  onRows: (() => void) | undefined;
  onAnother: () => void;
}

/** The import ended without storing anything, or with unknown outcome: the reason and the next steps. */
export function NothingStored({ end, onRows, onAnother }: NothingStoredProps) {
  const { t } = useTranslation('transfer');
  const words = useErrorWords();
  const isCancelled = end.end === 'cancelled';
  return (
    <div role="alert">
      <Notice
        icon={isCancelled ? IconHandStop : IconAlertTriangle}
        title={isCancelled ? t('done.cancelled') : t('done.failed')}
        acts={
          onRows ? (
            <Button onClick={onRows}>{t('done.backToRows')}</Button>
          ) : (
            <Button onClick={onAnother}>{t('choose.browse')}</Button>
          )
        }
      >
        {isCancelled && t(onRows ? 'done.cancelledText' : 'done.startOver')}
        {end.end === 'forgotten' && t(onRows ? 'done.forgotten' : 'done.forgottenAlone')}
        {end.end === 'failed' && (
          <>
            <p>{t('done.again')}</p>
            <p>
              {end.error === undefined ? '' : `${words(end.error)} `}
              {t(onRows ? 'done.failedText' : 'done.startOver')}
            </p>
          </>
        )}
      </Notice>
    </div>
  );
}
