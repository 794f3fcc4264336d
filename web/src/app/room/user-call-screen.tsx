import type { ChannelId } from '@pressel/contract/ids';
import { updateUserMicState } from '@pressel/contract/voice';
import { useEffect, useState } from 'react';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { isFinal } from '#src/features/voice/final-status.ts';
import { bindMicEvents } from '#src/features/voice/mic-events.ts';
import { ParticipantGrid } from '#src/features/voice/participant-grid.tsx';
import type { Stay } from '#src/features/voice/stays.ts';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { TalkButton } from '#src/features/voice/talk-button.tsx';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { VoiceNotices } from '#src/features/voice/voice-notices.tsx';
import { withVolume } from '#src/features/voice/voice-preferences.ts';
import { useApi, useRealtime, useStorage } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { type OpenRoom, openStay, openVoiceRoom, readPreferences } from './open-stay.ts';
import { RoomClosed } from './room-closed.tsx';
import styles from './room-frame.module.css';
import { RoomHeader } from './room-header.tsx';

export interface UserCallScreenProps {
  channelId: ChannelId;
  onBack: () => void;
  openRoom?: OpenRoom;
}

/** The room of a call link (spec §2): sound only, for a page that another app hosts and talks by its window's events. */
export function UserCallScreen({ channelId, onBack, openRoom = openVoiceRoom }: UserCallScreenProps) {
  const realtime = useRealtime();
  const storage = useStorage();
  const api = useApi();
  const stays = useStays();
  const [stay, setStay] = useState<Stay>();
  const [visit, setVisit] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `visit` number enters the room again
  useEffect(() => {
    const entered = stays.enter(channelId, (room) => openStay({ room, channelId, realtime, storage, openRoom }));
    const { room } = entered;
    const stop = bindMicEvents(window, room, (micState) => {
      const channelName = room.getSnapshot().channel?.name;
      // Beside the floor's own events it changes nothing, so a lost one does no harm.
      if (channelName !== undefined) api.call(updateUserMicState, { micState, channelName }).catch(() => undefined);
    });
    setStay(entered);
    return () => {
      stop();
      stays.leave();
    };
  }, [stays, channelId, realtime, storage, api, openRoom, visit]);

  if (stay === undefined) return null;
  return <UserCall stay={stay} onLeave={stays.leave} onBack={onBack} onAgain={() => setVisit((count) => count + 1)} />;
}

function UserCall(props: { stay: Stay; onLeave: () => void; onBack: () => void; onAgain: () => void }) {
  const { stay } = props;
  const snapshot = useSnapshot(stay.room);
  const t = useVoiceWords();
  const label = t('room.label', { name: snapshot.channel?.name ?? t('room.unnamed') });
  if (isFinal(snapshot.status)) {
    return (
      <main className={styles.room} aria-label={label}>
        <RoomClosed status={snapshot.status} onBack={props.onBack} onSignIn={props.onBack} onAgain={props.onAgain} />
      </main>
    );
  }
  return (
    <main className={styles.room} aria-label={label}>
      <RoomHeader
        snapshot={snapshot}
        fallbackName=""
        onLeave={props.onLeave}
        onBack={undefined}
        panes={null}
        settings={null}
      />
      <VoiceNotices snapshot={snapshot} actions={stay.actions} />
      <CallBody stay={stay} snapshot={snapshot} />
      <VoiceAnnouncer snapshot={snapshot} />
    </main>
  );
}

function CallBody({ stay, snapshot }: { stay: Stay; snapshot: RoomSnapshot }) {
  const storage = useStorage();
  const [preferences, setPreferences] = useState(() => readPreferences(storage));
  return (
    <div className={styles.body} data-width="middle" data-people="whole">
      <div className={styles.people}>
        <ParticipantGrid
          snapshot={snapshot}
          levels={stay.actions.levels}
          onVolume={(userId, volume) => {
            const next = { ...preferences, volumes: withVolume(preferences.volumes, userId, volume) };
            setPreferences(next);
            storage.writePreference('voice', next);
            stay.room.setPreferences(next);
          }}
        />
      </div>
      <div className={styles.dock}>
        <TalkButton snapshot={snapshot} actions={stay.actions} talkKey={preferences.talkKey} />
      </div>
    </div>
  );
}
