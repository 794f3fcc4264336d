import { CHANNEL_COLUMNS } from '@pressel/contract/channels';
import { getRouteApi } from '@tanstack/react-router';
import { ChannelsPage } from '#src/features/channels/channels-page.tsx';
import { UnreadMark } from '#src/features/chat/chat-context.tsx';
import { UnsentMessages } from '#src/features/chat/unsent-messages.tsx';
import { guestLinksOf } from '#src/features/guests/guest-links.tsx';
import { ChannelTransferButtons } from '#src/features/transfer/export/transfer-buttons.tsx';
import { isStep, searchAfter, useRememberedSize, viewOf } from './list-address.ts';
import { usePreloadRoom } from './preload-room.ts';

const channelsRoute = getRouteApi('/console/channelsList');

export function ChannelsRoute() {
  usePreloadRoom();
  const search = channelsRoute.useSearch();
  const navigate = channelsRoute.useNavigate();
  const { size, remember } = useRememberedSize('channels');
  return (
    <ChannelsPage
      view={viewOf(search, CHANNEL_COLUMNS, size)}
      onView={(change, isSilent) => {
        remember(change);
        void navigate({ search: (known) => searchAfter(known, change), replace: isSilent === true || !isStep(change) });
      }}
      transfer={<ChannelTransferButtons />}
      notice={<UnsentMessages />}
      mark={(channelId) => <UnreadMark channelId={channelId} />}
      guests={guestLinksOf}
    />
  );
}
