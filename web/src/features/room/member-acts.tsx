import { ActionIcon } from '@mantine/core';
import { IconId } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { CallButton } from '#src/features/calls/call-context.tsx';
import { isReachable, type MemberRow } from '#src/features/members/members.rules.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useUser } from '#src/shared/services.tsx';
import { useCurrentRoom } from './current-room.tsx';

/** The buttons at the end of a member's row: a call, while one would ring, and the user sheet (MEM6). */
export function MemberActs({ row, size = 'lg' }: { row: MemberRow; size?: 'sm' | 'lg' }) {
  const { t } = useTranslation('members');
  const isAdmin = useUser().role === 'admin';
  // Outside the console, leaving the page would leave the room.
  const isInConsole = useCurrentRoom() !== undefined;
  const label = t('sheet', { name: row.name });
  return (
    <>
      {isReachable(row) && <CallButton id={row.id} name={row.name} size={size} />}
      {isAdmin && isInConsole && !row.isGuest && (
        <ActionIcon
          variant="subtle"
          size={size}
          aria-label={label}
          title={t('sheetAct')}
          renderRoot={(props) => <Link to="/usersList" search={{ panel: `sheet:${row.id}` }} {...props} />}
        >
          <IconId size={18} aria-hidden="true" />
        </ActionIcon>
      )}
    </>
  );
}
