import type { CallReply } from '@pressel/contract/call';
import { enterAsGuest, leaveAsGuest } from '@pressel/contract/guests';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { GuestEntryPage } from '#src/features/guests/guest-entry-page.tsx';
import { invitationQuery } from '#src/features/guests/guests.queries.ts';
import type { OpenRoomSession } from '#src/features/room/create-entered-room.ts';
import type { FinalCause } from '#src/features/voice/engine/types.ts';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useServices } from '#src/shared/services.tsx';
import { GuestFailedPage, type GuestOver, GuestOverPage } from './guest-pages.tsx';
import { GuestRoom } from './guest-room.tsx';

type Visit = CallReply<typeof enterAsGuest>['res'];

export interface GuestRouteProps {
  /** The link's token; empty after a reload. */
  token: string;
  onRenamed: (roomKey: string) => void;
  openRoom?: OpenRoomSession | undefined;
}

/** The `/join/` page of a guest link: asks for a name and enters. If that isn't possible, or no longer, it says why [GUEST12]. */
export function GuestRoute(props: GuestRouteProps) {
  return props.token === '' ? <GuestOverPage reason="used" /> : <Guest {...props} />;
}

function Guest({ token, onRenamed, openRoom }: GuestRouteProps) {
  const { api, storage } = useServices();
  const [look, setLook] = useState(0);
  const [visit, setVisit] = useState<Visit>();
  const [ended, setEnded] = useState<FinalCause>();
  const invitation = useQuery(invitationQuery(api, token, look));
  const lookAgain = useCallback(() => setLook((count) => count + 1), []);
  const enter = useMutation({
    mutationFn: (name: string) => api.call(enterAsGuest, { token, name }),
    onSuccess: ({ res }) => {
      storage.keepToken(res.guestToken);
      setEnded(undefined);
      setVisit(res);
    },
    onError: (error) => {
      if (errorCodeOf(error) === 'guest_link_over') lookAgain();
    },
  });
  const onEnd = useCallback(
    (cause: FinalCause) => {
      setVisit(undefined);
      setEnded(cause);
      lookAgain();
      // Frees the guest's place for somebody else now; two minutes later it would be free anyway.
      if (cause === 'left') api.call(leaveAsGuest, {}).catch(() => undefined);
    },
    [api, lookAgain],
  );

  if (visit !== undefined) {
    return (
      <GuestRoom
        key={visit.id}
        guestToken={visit.guestToken}
        roomKey={visit.rtcSession}
        onRenamed={(rtcSession) => {
          setVisit({ ...visit, rtcSession });
          onRenamed(rtcSession);
        }}
        onEnd={onEnd}
        openRoom={openRoom}
      />
    );
  }
  if (ended === 'deleted') return <GuestOverPage reason="deleted" />;
  if (invitation.isPending) return null;
  if (invitation.isError)
    return (
      <GuestFailedPage error={invitation.error} onRetry={() => void invitation.refetch({ cancelRefetch: false })} />
    );
  const link = invitation.data;
  if (link.state !== 'open') return <GuestOverPage reason={link.state} />;
  const again = enter.variables === undefined ? undefined : () => enter.mutate(enter.variables);
  if (again !== undefined && enter.isError && errorCodeOf(enter.error) === 'guest_link_full') {
    return <GuestOverPage reason="full" onAgain={again} />;
  }
  if (again !== undefined && ended !== undefined) return <GuestOverPage reason={overOf(ended)} onAgain={again} />;
  return (
    <GuestEntryPage
      invitation={link}
      isEntering={enter.isPending}
      error={enter.error}
      onEnter={(name) => enter.mutate(name)}
    />
  );
}

const overOf = (cause: FinalCause): GuestOver => (cause === 'left' ? 'left' : 'away');
