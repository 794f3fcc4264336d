import { Button, VisuallyHidden } from '@mantine/core';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Alike } from './use-alike.tsx';

export interface AlikeOfferProps {
  alike: Alike;
  /** The correction is still being typed. */
  isTyping: boolean;
  /** Called after applying, to move the focus, because the button disappears. */
  onDone: () => void;
}

/** Offers the same correction for similar rows; announced politely by screen readers. */
export function AlikeOffer({ alike, isTyping, onDone }: AlikeOfferProps) {
  const { t } = useTranslation('transfer');
  const { fix, count } = alike;
  return (
    <div role="status">
      {fix !== undefined && count > 0 && !isTyping && (
        <Button
          variant="light"
          size="compact-md"
          onClick={() => {
            alike.apply();
            onDone();
          }}
        >
          <VisuallyHidden>{t('review.alikeField', { field: t(`field.${fix.field}`) })}</VisuallyHidden>{' '}
          {t('review.alike', { count })}
        </Button>
      )}
    </div>
  );
}
