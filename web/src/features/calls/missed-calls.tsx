import { ActionIcon } from '@mantine/core';
import { getMissedCalls, markCallsSeen } from '@pressel/contract/calls';
import { IconPhone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { part } from '#src/shared/renewal.ts';
import { useApi } from '#src/shared/services.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
import { useCallDesk, useCalls } from './call-context.tsx';
import type { CallDesk } from './call-desk.ts';
import { MISSED_CALLS_KEY } from './calls.realtime.ts';
import styles from './missed-calls.module.css';

/** Loads ahead what the menu of missed calls is made of. */
export const loadMissedCalls = part(() => import('./missed-calls-list.tsx'));

/** How many calls were missed; opened it names them, and each calls back. */
export function MissedCalls() {
  const desk = useCallDesk();
  return desk === null ? null : <MissedMenu desk={desk} />;
}

function MissedMenu({ desk }: { desk: CallDesk }) {
  const { t } = useTranslation('calls');
  const api = useApi();
  const { missed } = useCalls(desk);
  const { buttonRef, made, isOpen, setOpen, opens } = useMadeMenu(loadMissedCalls);
  const found = useQuery({
    queryKey: MISSED_CALLS_KEY,
    queryFn: async () => (await api.call(getMissedCalls, {})).res,
    // Before it is opened: a menu gives the focus to what is there.
    enabled: missed > 0,
  });
  // What was read before the last of them was seen is none any more.
  const calls = missed > 0 ? found.data : [];
  const newest = calls?.[0]?.id;
  const change = (next: boolean) => {
    if (next === isOpen) return;
    setOpen(next);
    // What stood in the list was seen; what came since wasn't.
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
        // With nothing to choose the focus stays here.
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
    <made.MissedCallsList button={button} desk={desk} missed={missed} calls={calls} isOpen={isOpen} onOpen={change} />
  );
}
