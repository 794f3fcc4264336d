import { ActionIcon } from '@mantine/core';
import type { UserId } from '@pressel/contract/ids';
import { IconPhone } from '@tabler/icons-react';
import { inSentence } from '#src/shared/format/format.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useCallDesk } from './call-context.tsx';

/** Calls one person; nothing for oneself, and where nobody can be called. */
export function CallButton({ id, name }: { id: UserId; name: string }) {
  const { t } = useTranslation('calls');
  const desk = useCallDesk();
  if (desk === null || desk.selfId === id) return null;
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      aria-label={t('start', { name: inSentence(name) })}
      title={t('act')}
      onClick={() => desk.start({ id, name })}
    >
      <IconPhone size={18} aria-hidden="true" />
    </ActionIcon>
  );
}
