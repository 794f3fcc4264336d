import { Button, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Alike } from './use-alike.tsx';

export interface AlikeOfferProps {
  alike: Alike;
  /** The correction is still being typed. */
  isTyping: boolean;
  /** After the others were set: the button is gone, and the focus needs a place. */
  onDone: () => void;
}

/** The same correction for all other rows that need it, said politely beside the hint. */
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
