import { Button } from '@mantine/core';
import {
  IconClockOff,
  IconDoorExit,
  IconLink,
  IconLinkOff,
  IconTrashX,
  IconUsers,
  IconWifiOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { PlainPage } from '#src/app/pages/plain-page.tsx';
import { isUnreachable } from '#src/shared/api/api-error.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRetry } from '#src/shared/use-retry.ts';

/** Why a guest is not in the room. `used`: the page was reloaded and no longer has the link. */
export type GuestOver =
  | 'withdrawn'
  | 'expired'
  | 'unknown'
  | 'used'
  | 'full'
  | 'deleted'
  | 'left'
  /** The link is still valid, but the guest is out of the room. */
  | 'away';

const ICONS: Record<GuestOver, TablerIcon> = {
  withdrawn: IconLinkOff,
  expired: IconClockOff,
  unknown: IconLinkOff,
  used: IconLink,
  full: IconUsers,
  deleted: IconTrashX,
  left: IconDoorExit,
  away: IconWifiOff,
};

/** Says why a guest is not in the room, and what to do [GUEST12]. `onAgain`: given if coming back or trying again helps. */
export function GuestOverPage({ reason, onAgain }: { reason: GuestOver; onAgain?: (() => void) | undefined }) {
  const { t } = useTranslation('guests');
  return (
    <PlainPage
      icon={ICONS[reason]}
      title={t(`over.${reason}`)}
      acts={
        onAgain === undefined ? (
          <Button variant="default" renderRoot={(props) => <Link to="/" reloadDocument {...props} />}>
            {t('over.home')}
          </Button>
        ) : (
          <Button onClick={onAgain}>{t(reason === 'full' ? 'over.retry' : 'over.again')}</Button>
        )
      }
    >
      {t(`over.${reason}More`)}
    </PlainPage>
  );
}

/** Shown when the server could not be asked about the link. Asks again while the server is away. */
export function GuestFailedPage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation('guests');
  const words = useErrorWords();
  useRetry(isUnreachable(error), onRetry);
  return (
    <PlainPage icon={IconWifiOff} title={t('over.failed')} acts={<Button onClick={onRetry}>{t('over.retry')}</Button>}>
      {words(error)}
    </PlainPage>
  );
}
