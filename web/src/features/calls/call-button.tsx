import { ActionIcon } from '@mantine/core';
import type { UserId } from '@pressel/contract/ids';
import { IconPhone } from '@tabler/icons-react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useCallController, useIsCalling } from './call-context.tsx';
import type { CallController } from './call-controller.ts';

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
