import { ActionIcon } from '@mantine/core';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { IconLink } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { CallButton } from '#src/features/calls/call-context.tsx';
import { UnreadMark } from '#src/features/chat/chat-context.tsx';
import { MessageNews } from '#src/features/chat/message-news.tsx';
import { UnsentMessages } from '#src/features/chat/unsent-messages.tsx';
import { GuestLinks } from '#src/features/guests/guest-links.tsx';
import { isMemberReachable } from '#src/features/members/members.rules.ts';
import type { MembersView } from '#src/features/members/members-part.ts';
import { useMember, useMembersTotal } from '#src/features/members/use-members.ts';
import type { PositionSharing } from '#src/features/positions/position-sharing.ts';
import { ShareState, ShareSwitch } from '#src/features/positions/share-position.tsx';
import type { RoomParticipant, RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import type { RoomSource } from '#src/features/voice/use-room-selector.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { useUser } from '#src/shared/services.tsx';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import { useEnteredRooms } from './entered-rooms-context.tsx';
import type { Panel } from './panel-names.ts';
import { countPeople } from './people.ts';
import type { RoomPanels } from './room-frame.tsx';
import type { RoomFrameState } from './use-room-frame-state.ts';

interface MembersCountProps {
  channelId: ChannelId | undefined;
  participants: readonly RoomParticipant[];
}

/** Shows how many people are here and how many members there are; nothing until both are known. */
function MembersCount({ channelId, participants }: MembersCountProps) {
  const t = useVoiceWords();
  const { t: tMembers } = useTranslation('members');
  const count = useMembersTotal(channelId);
  if (count === undefined) return null;
  return (
    <>
      <span>{t('room.here', { count: countPeople(participants).users })}</span>{' '}
      <span>{tMembers('total', { count })}</span>
    </>
  );
}

/** Opens the guest links of the current room's channel. For administrators. */
function GuestLinksButton({ channel }: { channel: { id: ChannelId; name: string } }) {
  const t = useVoiceWords();
  const enteredRooms = useEnteredRooms();
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  const label = t('room.guests');
  return (
    <>
      <ButtonTooltip label={label}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={label}
          aria-haspopup="dialog"
          onClick={() => {
            // A dialog ends a talk [TALK66].
            enteredRooms.getSnapshot()?.room.stop();
            setUsed(true);
            setOpen(true);
          }}
        >
          <IconLink size={20} aria-hidden="true" />
        </ActionIcon>
      </ButtonTooltip>
      {isUsed && <GuestLinks channel={channel} isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}

const MessagesPanel = lazyComponent(async () => (await import('#src/features/chat/messages-panel.tsx')).MessagesPanel);
const MapPanel = lazyComponent(async () => (await import('#src/features/positions/map-panel.tsx')).MapPanel);
const TalksPanel = lazyComponent(async () => (await import('#src/features/voice/talks-panel.tsx')).TalksPanel);
const RoomMembers = lazyComponent(async () => (await import('./room-members.tsx')).RoomMembers);
const UnknownLocationDialog = lazyComponent(
  async () => (await import('#src/features/positions/unknown-location-dialog.tsx')).UnknownLocationDialog,
);

export interface RoomContent {
  panels: RoomPanels;
  /** Counts the requests to show somebody on the map. */
  mapCalls: number;
  /** The switch that shares the own position, and the notice shown while it is shared. */
  sharing: { toggle: ReactNode; state: ReactNode };
  /** The guest links, for administrators. */
  guests: ReactNode;
  dialogs: ReactNode;
  /** The announcement of new messages. */
  news: ReactNode;
  /** Messages written here that can't be sent, for the page that replaces a closed room. */
  unsent: ReactNode;
}

interface RoomContentInput extends Pick<RoomSnapshot, 'status' | 'channel' | 'participants'> {
  room: RoomSource;
  sharing: PositionSharing;
  frameState: RoomFrameState;
  onWant: (panel: Panel | undefined) => void;
  /** The members' filter and order at first, and the function that keeps them for the next time. */
  members: MembersView;
  onMembers: (view: MembersView) => void;
  /**
   * Receives the function that shows somebody on the map from outside of the room; undefined for users who may not see
   * the map.
   */
  locator: Locator;
}

type Locate = (userId: UserId, name: string) => void;

/** Lets the sidebar show somebody on the room's map. `locate` stays the same; what it does changes with the room's arrangement. */
export interface Locator {
  locate: Locate;
  follow(next: Locate | undefined): void;
}

export function createLocator(): Locator {
  let current: Locate | undefined;
  return {
    locate: (userId, name) => current?.(userId, name),
    follow(next) {
      current = next;
    },
  };
}

/** Returns the parts that a room shows beside the voice. Each is loaded, and reads its data, only while it is shown. */
export function useRoomContent(input: RoomContentInput): RoomContent {
  const { room, status, channel, participants, sharing, frameState, onWant, members, onMembers } = input;
  const user = useUser();
  const [focus, setFocus] = useState<{ userId: UserId; name: string; nonce: number }>();
  const [unknown, setUnknown] = useState<string | null>(null);
  const [isUnknownUsed, setUnknownUsed] = useState(false);
  if (unknown !== null && !isUnknownUsed) setUnknownUsed(true);
  const isLive = status.state === 'joined';
  const canSeeMap = user.role === 'admin' || user.mapRight;

  const locate = (userId: UserId, name: string) => {
    setFocus({ userId, name, nonce: (focus?.nonce ?? 0) + 1 });
    if (frameState.width === 'narrow') onWant('map');
    else frameState.setFolded('map', false);
  };
  useEffect(() => input.locator.follow(canSeeMap ? locate : undefined));

  return {
    mapCalls: focus?.nonce ?? 0,
    sharing: {
      toggle: <ShareSwitch sharing={sharing} isLive={isLive} />,
      state: <ShareState sharing={sharing} />,
    },
    guests: user.role === 'admin' && channel && <GuestLinksButton channel={channel} />,
    unsent: <UnsentMessages channelId={channel?.id} />,
    news: channel && <MessageNews key={channel.id} channelId={channel.id} />,
    dialogs: isUnknownUsed && (
      <LazyOverlay isOpen={unknown !== null} onClose={() => setUnknown(null)}>
        <UnknownLocationDialog name={unknown} onClose={() => setUnknown(null)} />
      </LazyOverlay>
    ),
    panels: {
      map:
        channel && canSeeMap ? (
          <MapPanel
            channelId={channel.id}
            participants={participants}
            focus={focus}
            onUnknown={() => {
              setUnknown(focus?.name ?? '');
              setFocus(undefined);
            }}
            personActs={({ userId: id, name }) => (
              <PersonCall channelId={channel.id} participants={participants} isLive={isLive} id={id} name={name} />
            )}
          />
        ) : undefined,
      messages: channel && <MessagesPanel channelId={channel.id} channelName={channel.name} isLive={isLive} isShown />,
      talks: <TalksPanel room={room} />,
      members: (
        <RoomMembers
          channelId={channel?.id}
          participants={participants}
          isLive={isLive}
          view={members}
          onView={onMembers}
          onLocate={canSeeMap ? locate : undefined}
        />
      ),
      membersCount: isLive && <MembersCount channelId={channel?.id} participants={participants} />,
      unread: channel && <UnreadMark channelId={channel.id} />,
    },
  };
}

export interface PersonCallProps {
  channelId: ChannelId;
  participants: readonly RoomParticipant[];
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
  id: UserId;
  name: string;
}

/** Calls a member who is shown on the map, while the member's row has that button too (RING17). */
export function PersonCall({ channelId, participants, isLive, id, name }: PersonCallProps) {
  const member = useMember(channelId, id);
  return isMemberReachable(id, member, { channelId, participants, isLive }) && <CallButton id={id} name={name} />;
}
