import type { ChannelId } from '@pressel/contract/ids';
import { updateUserMicState } from '@pressel/contract/voice';
import { useEffect } from 'react';
import { TalkButton } from '#src/features/voice/button/talk-button.tsx';
import { isFinal } from '#src/features/voice/engine/types.ts';
import { withVolume } from '#src/features/voice/settings/voice-preferences.ts';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ParticipantGrid } from '#src/features/voice/tiles/participant-grid.tsx';
import { useRoomSelector } from '#src/features/voice/use-room-selector.ts';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { VoiceNotices } from '#src/features/voice/voice-notices.tsx';
import { useApi } from '#src/shared/services.tsx';
import type { OpenRoomSession } from './create-entered-room.ts';
import { bindMicEvents } from './mic-events.ts';
import { RoomClosed } from './room-closed.tsx';
import { RoomCrash } from './room-crash.tsx';
import styles from './room-frame.module.css';
import { RoomHeader } from './room-header.tsx';
import { RoomTitle, useRoomPage } from './room-title.ts';
import { type RoomPageState, useRoomPageState } from './use-room-page.ts';

export interface UserCallScreenProps {
  channelId: ChannelId;
  onBack: () => void;
  openRoom?: OpenRoomSession;
}

/** The room of a call link (spec §2), with sound only. Another app hosts the page and controls the talk by window events. */
export function UserCallScreen({ channelId, onBack, openRoom }: UserCallScreenProps) {
  const page = useRoomPageState({ roomKey: channelId, channelId, isKept: false, openRoom });
  return (
    page && (
      <RoomCrash enteredRoom={page.enteredRoom} onLeave={page.enteredRoom.room.close}>
        <UserCall page={page} onBack={onBack} />
      </RoomCrash>
    )
  );
}

function UserCall({ page, onBack }: { page: RoomPageState; onBack: () => void }) {
  const { room, actions } = page.enteredRoom;
  const status = useRoomSelector(room, (snapshot) => snapshot.status);
  const name = useRoomSelector(room, ({ channel }) => channel?.name);
  const api = useApi();
  const t = useVoiceWords();
  useRoomPage(room, '');
  useEffect(
    () =>
      bindMicEvents(window, room, (micState) => {
        const channelName = room.getSnapshot().channel?.name;
        // The floor's own events decide everything, so losing this call does no harm.
        if (channelName !== undefined) api.call(updateUserMicState, { micState, channelName }).catch(() => undefined);
      }),
    [room, api],
  );
  const label = t('room.label', { name: name ?? t('room.unnamed') });
  if (isFinal(status)) {
    return (
      <main className={styles.room} aria-label={label}>
        <RoomClosed status={status} onBack={onBack} onSignIn={onBack} onAgain={page.onAgain} />
      </main>
    );
  }
  const { preferences, onPreferences } = page;
  return (
    <main className={styles.room} aria-label={label}>
      {/* Closes the room but keeps its entry: the page says what happened, and how to come back. */}
      <RoomHeader room={room} fallbackName="" onLeave={room.close} onBack={undefined} panes={null} settings={null} />
      <VoiceNotices room={room} actions={actions} />
      <div className={styles.body} data-width="middle" data-people="whole">
        <div className={styles.people}>
          <ParticipantGrid
            room={room}
            levels={actions.levels}
            onVolume={(userId, volume) =>
              onPreferences(({ volumes }) => ({ volumes: withVolume(volumes, userId, volume) }))
            }
          />
        </div>
        <div className={styles.dock}>
          <TalkButton room={room} actions={actions} talkKey={preferences.talkKey} hasTiles />
        </div>
      </div>
      <VoiceAnnouncer room={room} />
      <RoomTitle room={room} />
    </main>
  );
}
