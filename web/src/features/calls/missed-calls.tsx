import { ActionIcon } from '@mantine/core';
import { getMissedCalls, markCallsSeen } from '@pressel/contract/calls';
import { IconPhone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { loadableChunk } from '#src/shared/renewal.ts';
import { useApi } from '#src/shared/services.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
import { useCallController, useCalls } from './call-context.tsx';
import type { CallController } from './call-controller.ts';
import { MISSED_CALLS_KEY } from './calls.realtime.ts';
import styles from './missed-calls.module.css';

/** Preloads the code of the missed-calls menu. */
export const loadMissedCalls = loadableChunk(() => import('./missed-calls-list.tsx'));

/** Number of missed calls; its menu names the callers, and each name calls back. */
export function MissedCalls() {
  const controller = useCallController();
  return controller === null ? null : <MissedMenu controller={controller} />;
}

function MissedMenu({ controller }: { controller: CallController }) {
  const { t } = useTranslation('calls');
  const api = useApi();
  const { missed } = useCalls(controller);
  const { buttonRef, made, isOpen, setOpen, opens } = useMadeMenu(loadMissedCalls);
  const found = useQuery({
    queryKey: MISSED_CALLS_KEY,
    queryFn: async ({ signal }) => (await api.call(getMissedCalls, {}, { signal })).res,
    // Read before the menu opens: a menu gives the focus to the entries that it has.
    enabled: missed > 0,
  });
  // A list that was read before the user saw the last missed call is outdated.
  const calls = missed > 0 ? found.data : [];
  const newest = calls?.[0]?.id;
  const change = (next: boolean) => {
    if (next === isOpen) return;
    setOpen(next);
    // The user saw the calls in the list, but not those that came since.
    if (!next && newest !== undefined) void api.call(markCallsSeen, { callId: newest }).catch(() => undefined);
  };
  const label = missed === 0 ? t('missed.none') : t('missed.label', { count: missed });
  const button = (
    <ActionIcon
      ref={buttonRef}
      variant="subtle"
      size="lg"
      aria-label={label}
      title={label}
      className={styles.opener}
      {...opens}
      onKeyDown={(event) => {
        // With nothing to choose, the focus stays here.
        if (event.key === 'Escape') change(false);
      }}
    >
      <IconPhone size={18} aria-hidden="true" />
      {missed > 0 && (
        <span className={styles.badge} aria-hidden="true" data-missed-calls="">
          {missed > 99 ? '99+' : missed}
        </span>
      )}
    </ActionIcon>
  );
  if (made === undefined) return button;
  return (
    <made.MissedCallsList
      button={button}
      controller={controller}
      missed={missed}
      calls={calls}
      isOpen={isOpen}
      onOpen={change}
    />
  );
}
