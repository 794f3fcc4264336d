import { Button } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { channelId as channelIdSchema } from '@pressel/contract/ids';
import { ROOMS_MAX } from '@pressel/contract/limits';
import { IconLayoutRows } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Stay } from '#src/features/voice/stays.ts';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { useRealtime, useStorage } from '#src/shared/services.tsx';
import { InsidePage } from '../pages/inside-page.tsx';
import { type OpenRoom, openStay, openVoiceRoom } from '../room/open-stay.ts';
import { BoardPage } from './board-page.tsx';

const board = getRouteApi('/console/board');

export function BoardRoute() {
  const { rooms = '' } = board.useSearch();
  return <Board rooms={rooms} />;
}

/** Enters the channels that the address names, and leaves them with the page [ROOM50]. `openRoom`: tests pass a fake. */
export function Board({ rooms, openRoom = openVoiceRoom }: { rooms: string; openRoom?: OpenRoom }) {
  const t = useVoiceWords();
  const entered = useBoardStays(rooms, openRoom);
  if (channelsOf(rooms).length === 0) {
    return (
      <InsidePage
        icon={IconLayoutRows}
        title={t('board.empty')}
        acts={<Button renderRoot={(props) => <Link to="/channelsList" {...props} />}>{t('closed.back')}</Button>}
      >
        {t('board.emptyMore')}
      </InsidePage>
    );
  }
  return <BoardPage stays={entered} />;
}

/** The channels in an address: each once, and no more than one may be in. */
export function channelsOf(rooms: string): readonly ChannelId[] {
  const found = rooms.split(',').flatMap((text) => channelIdSchema.safeParse(text.trim()).data ?? []);
  return [...new Set(found)].slice(0, ROOMS_MAX);
}

function useBoardStays(rooms: string, openRoom: OpenRoom): readonly Stay[] {
  const stays = useStays();
  const realtime = useRealtime();
  const storage = useStorage();
  const [entered, setEntered] = useState<readonly Stay[]>([]);
  useEffect(() => {
    const found = channelsOf(rooms).map((channelId) =>
      stays.enterBeside(channelId, () => openStay({ room: channelId, channelId, realtime, storage, openRoom })),
    );
    for (const { stay } of found) stay.setHasKey(false);
    setEntered(found.map(({ stay }) => stay));
    return () => {
      for (const { stay, isNew } of found) {
        // Its button is gone with the page [TALK67].
        stay.room.stop();
        stay.setHasKey(true);
        if (isNew) stays.leaveOne(stay);
      }
    };
  }, [rooms, stays, realtime, storage, openRoom]);
  return entered;
}
