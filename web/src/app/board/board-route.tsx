import { Button } from '@mantine/core';
import type { ChannelId } from '@pressel/contract/ids';
import { channelId as channelIdSchema } from '@pressel/contract/ids';
import { ROOMS_MAX } from '@pressel/contract/limits';
import { IconLayoutRows } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { InsidePage } from '#src/app/pages/plain-page.tsx';
import { createEnteredRoom, type OpenRoomSession, openRoomSession } from '#src/features/room/create-entered-room.ts';
import type { EnteredRoom } from '#src/features/room/entered-rooms.ts';
import { useEnteredRooms } from '#src/features/room/entered-rooms-context.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { useRealtime, useStorage } from '#src/shared/services.tsx';
import { BoardPage, type BoardRooms } from './board-page.tsx';

const board = getRouteApi('/console/board');

export function BoardRoute() {
  const { rooms = '' } = board.useSearch();
  return <Board rooms={rooms} />;
}

/**
 * Enters the channels that the address names, and leaves all others. Closing the page leaves them too [ROOM50].
 * `openRoom`: tests pass a fake.
 */
export function Board({ rooms, openRoom = openRoomSession }: { rooms: string; openRoom?: OpenRoomSession }) {
  const t = useVoiceWords();
  const entered = useBoardRooms(rooms, openRoom);
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
  return <BoardPage enteredRooms={entered} isCut={isCut} />;
}

/** Returns the channels in an address: each once, up to the maximum. `isCut`: the address names more. */
function channelsOf(rooms: string): { channels: readonly ChannelId[]; isCut: boolean } {
  const found = rooms.split(',').flatMap((text) => channelIdSchema.safeParse(text.trim()).data ?? []);
  const channels = [...new Set(found)];
  return { channels: channels.slice(0, ROOMS_MAX), isCut: channels.length > ROOMS_MAX };
}

function useBoardRooms(rooms: string, openRoom: OpenRoomSession): BoardRooms {
  const enteredRooms = useEnteredRooms();
  const realtime = useRealtime();
  const storage = useStorage();
  /** The rooms that this page entered. */
  const [own] = useState(() => new Set<EnteredRoom>());
  const [entered, setEntered] = useState<BoardRooms>(new Map());
  useEffect(() => {
    const before = enteredRooms.all();
    const { channels } = channelsOf(rooms);
    const found = enteredRooms.enterTogether(channels, (channelId) =>
      createEnteredRoom({ room: channelId, channelId, realtime, storage, openRoom }),
    );
    for (const enteredRoom of found) {
      if (!before.includes(enteredRoom)) own.add(enteredRoom);
    }
    setEntered(new Map(found.map((enteredRoom, index) => [channels[index] as ChannelId, enteredRoom])));
  }, [rooms, own, enteredRooms, realtime, storage, openRoom]);
  // Runs at unmount, not at each new address: rooms that the next address also names go on, talk included.
  useEffect(
    () => () => {
      for (const enteredRoom of enteredRooms.all()) {
        // The talk button is gone with the page [TALK67].
        enteredRoom.room.stop();
        if (own.has(enteredRoom)) enteredRooms.leaveOne(enteredRoom);
      }
    },
    [own, enteredRooms],
  );
  return entered;
}
