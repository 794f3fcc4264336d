import { ActionIcon } from '@mantine/core';
import type { UserId } from '@pressel/contract/ids';
import { IconPhone } from '@tabler/icons-react';
import { createContext, type ReactNode, use } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CallController, CallControllerSnapshot } from './call-controller.ts';
import { isFree } from './call-state.ts';

/**
 * Whether a call goes on, so that the user can't start another. Reads only this of the call: its voice state changes
 * many times a second.
 */
export const useIsCalling = (controller: CallController): boolean =>
  useSnapshot({
    getSnapshot: () => !isFree(controller.getSnapshot().call),
    subscribe: (listener) => controller.subscribe(listener),
  });

const CallControllerContext = createContext<CallController | null>(null);

/** Provides the one-to-one calls of the signed-in user. */
export function CallControllerProvider({ controller, children }: { controller: CallController; children: ReactNode }) {
  return <CallControllerContext value={controller}>{children}</CallControllerContext>;
}

/** Returns null where nobody can be called: on a guest's page. */
export const useCallController = (): CallController | null => use(CallControllerContext);

export const useCalls = (controller: CallController): CallControllerSnapshot => useSnapshot(controller);

interface CallButtonProps {
  id: UserId;
  name: string;
  size?: 'sm' | 'lg';
}

/** Calls one person; renders nothing for the user's own name, or where nobody can be called. */
export function CallButton(props: CallButtonProps) {
  const controller = useCallController();
  if (controller === null || controller.selfId === props.id) return null;
  return <Ready controller={controller} {...props} />;
}

function Ready({ controller, id, name, size = 'lg' }: CallButtonProps & { controller: CallController }) {
  const { t } = useTranslation('calls');
  const isOff = useIsCalling(controller);
  return (
    <ActionIcon
      variant="subtle"
      size={size}
      aria-label={t('start', { name })}
      title={t(isOff ? 'end.in_a_call' : 'act')}
      // Not `disabled`: the button keeps the focus that started the call, and says why it does nothing (RING4).
      aria-disabled={isOff}
      {...(isOff ? { 'data-disabled': true } : { onClick: () => controller.start({ id, name }) })}
    >
      <IconPhone size={18} aria-hidden="true" />
    </ActionIcon>
  );
}
