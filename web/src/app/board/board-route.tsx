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
import { type OpenRoom, openRoomSession, openStay } from '../room/open-stay.ts';
import { BoardPage, type BoardStays } from './board-page.tsx';

const board = getRouteApi('/console/board');

export function BoardRoute() {
  const { rooms = '' } = board.useSearch();
  return <Board rooms={rooms} />;
}

/**
 * Enters the channels that the address names, and leaves all others. Closing the page leaves them too [ROOM50].
 * `openRoom`: tests pass a fake.
 */
export function Board({ rooms, openRoom = openRoomSession }: { rooms: string; openRoom?: OpenRoom }) {
  const t = useVoiceWords();
  const entered = useBoardStays(rooms, openRoom);
  const { channels, isCut } = channelsOf(rooms);
  if (channels.length === 0) {
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
  return <BoardPage stays={entered} isCut={isCut} />;
}

/** Returns the channels in an address: each once, up to the maximum. `isCut`: the address names more. */
function channelsOf(rooms: string): { channels: readonly ChannelId[]; isCut: boolean } {
  const found = rooms.split(',').flatMap((text) => channelIdSchema.safeParse(text.trim()).data ?? []);
  const channels = [...new Set(found)];
  return { channels: channels.slice(0, ROOMS_MAX), isCut: channels.length > ROOMS_MAX };
}

function useBoardStays(rooms: string, openRoom: OpenRoom): BoardStays {
  const stays = useStays();
  const realtime = useRealtime();
  const storage = useStorage();
  /** The stays that this page entered. */
  const [own] = useState(() => new Set<Stay>());
  const [entered, setEntered] = useState<BoardStays>(new Map());
  useEffect(() => {
    const before = stays.all();
    const { channels } = channelsOf(rooms);
    const found = stays.enterTogether(channels, (channelId) =>
      openStay({ room: channelId, channelId, realtime, storage, openRoom }),
    );
    for (const stay of found) {
      if (!before.includes(stay)) own.add(stay);
    }
    setEntered(new Map(found.map((stay, index) => [channels[index] as ChannelId, stay])));
  }, [rooms, own, stays, realtime, storage, openRoom]);
  // Runs at unmount, not at each new address: rooms that the next address also names go on, talk included.
  useEffect(
    () => () => {
      for (const stay of stays.all()) {
        // The talk button is gone with the page [TALK67].
        stay.room.stop();
        if (own.has(stay)) stays.leaveOne(stay);
      }
    },
    [own, stays],
  );
  return entered;
}
