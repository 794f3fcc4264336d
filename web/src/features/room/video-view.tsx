import type { UserId } from '@pressel/contract/ids';
import type { CSSProperties, ReactNode } from 'react';
import { TalkButton } from '#src/features/voice/button/talk-button.tsx';
import { type FinalStatus, isFinal } from '#src/features/voice/engine/types.ts';
import type { VideoSnapshot } from '#src/features/voice/engine/video.ts';
import {
  type PreferencesChange,
  type VoicePreferences,
  withVolume,
} from '#src/features/voice/settings/voice-preferences.ts';
import { VoiceSettings } from '#src/features/voice/settings/voice-settings.tsx';
import { useVideoWords, useVoiceWords } from '#src/features/voice/talk-words.ts';
import { OwnPreview, VideoTile } from '#src/features/voice/tiles/video-tile.tsx';
import { type RoomSource, useRoomSelector, type VoiceActions } from '#src/features/voice/use-room-selector.ts';
import { VideoControls } from '#src/features/voice/video/video-controls.tsx';
import { VideoNotices } from '#src/features/voice/video/video-notices.tsx';
import { VoiceAnnouncer } from '#src/features/voice/voice-announcer.tsx';
import { VoiceNotices } from '#src/features/voice/voice-notices.tsx';
import { RoomClosed } from './room-closed.tsx';
import { RoomHeader } from './room-header.tsx';
import { RoomTitle, useRoomPage } from './room-title.ts';
import styles from './video-view.module.css';

/** Spec §2. */
const PEERS_PER_COLUMN = 4;

export interface VideoViewProps {
  room: RoomSource;
  video: VideoSnapshot;
  actions: VoiceActions;
  preferences: VoicePreferences;
  onPreferences: (change: PreferencesChange) => void;
  onChoosingKey: (isChoosing: boolean) => void;
  fallbackName: string;
  /** The choice of the camera, in the settings. */
  cameras: ReactNode;
  onMicrophone: () => void;
  onCamera: (isOn: boolean) => void;
  onShare: () => void;
  onStopSharing: () => void;
  onLeave: () => void;
  /** Leads back to the radio of the same channel; undefined for guests, who have none. */
  onRadio: (() => void) | undefined;
  onSignIn: () => void;
  onAgain: () => void;
  /** Replaces the closed room, instead of the text for members. */
  closed?: ((status: FinalStatus) => ReactNode) | undefined;
}

/** Renders the room with pictures, without engine or network. */
export function VideoView(props: VideoViewProps) {
  const { room, video, actions, preferences } = props;
  const status = useRoomSelector(room, (snapshot) => snapshot.status);
  const name = useRoomSelector(room, ({ channel }) => channel?.name);
  const voice = useVoiceWords();
  const t = useVideoWords();
  useRoomPage(room, props.fallbackName);
  const label = voice('room.label', { name: name ?? props.fallbackName });
  if (isFinal(status)) {
    return (
      <main className={styles.view} aria-label={label}>
        {props.closed?.(status) ?? (
          <RoomClosed status={status} onBack={props.onLeave} onSignIn={props.onSignIn} onAgain={props.onAgain} />
        )}
      </main>
    );
  }
  return (
    <main
      className={styles.view}
      data-room-lost={status.state === 'lost' || status.state === 'silent' || undefined}
      aria-label={label}
    >
      <RoomHeader
        room={room}
        fallbackName={props.fallbackName}
        onLeave={props.onLeave}
        onBack={props.onRadio}
        backLabel={props.onRadio && t('radio')}
        panes={null}
        settings={
          <VoiceSettings
            room={room}
            preferences={preferences}
            onChange={props.onPreferences}
            actions={actions}
            onChoosingKey={props.onChoosingKey}
            more={{ title: t('settings.title'), fields: props.cameras }}
          />
        }
      />
      <div>
        <VoiceNotices room={room} actions={actions} />
        <VideoNotices
          video={video}
          onStopSharing={props.onStopSharing}
          onRetryCamera={() => props.onCamera(true)}
          onWithoutCamera={() => props.onCamera(false)}
        />
      </div>
      <Stage {...props} />
      <div className={styles.dock}>
        <VideoControls
          room={room}
          video={video}
          onMicrophone={props.onMicrophone}
          onCamera={props.onCamera}
          onShare={props.onShare}
          onStopSharing={props.onStopSharing}
        />
        <TalkButton room={room} actions={actions} talkKey={preferences.talkKey} shape="bar" hasTiles />
      </div>
      <VoiceAnnouncer room={room} />
      <RoomTitle room={room} />
    </main>
  );
}

/** The others in columns of four, a shared screen large beside them, and the own picture in the corner. */
function Stage({ room, video, actions, onPreferences }: VideoViewProps) {
  const voice = useVoiceWords();
  const participants = useRoomSelector(room, (snapshot) => snapshot.participants);
  const canSetVolume = useRoomSelector(room, (snapshot) => snapshot.canSetVolume);
  const others = participants.filter(({ isSelf }) => !isSelf);
  const shared = others.find((one) => one.video === 'screen' && video.pictures.has(one.id));
  const inColumns = shared === undefined ? others : [shared, ...others.filter((one) => one !== shared)];
  const count = shared === undefined ? others.length : others.length - 1;
  const rows = { '--rows': Math.max(1, Math.min(PEERS_PER_COLUMN, count)), '--count': count };
  const setVolume = (userId: UserId, volume: number) =>
    onPreferences(({ volumes }) => ({ volumes: withVolume(volumes, userId, volume) }));
  return (
    <div className={styles.stage}>
      {others.length === 0 ? (
        <p className={styles.waiting} role="status">
          <strong>{voice('tile.waiting')}</strong> {voice('tile.waitingMore')}
        </p>
      ) : (
        <ul
          className={styles.peers}
          style={rows as CSSProperties}
          data-sharing={shared === undefined ? undefined : ''}
          aria-label={voice('tile.grid')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where many are there, by keyboard too
          tabIndex={0}
        >
          {inColumns.map((one) => (
            <VideoTile
              key={one.id}
              participant={one}
              isStaged={one === shared}
              track={video.pictures.get(one.id)}
              levels={actions.levels}
              onVolume={setVolume}
              canSetVolume={canSetVolume}
            />
          ))}
        </ul>
      )}
      <OwnPreview self={participants.find(({ isSelf }) => isSelf)} video={video} />
    </div>
  );
}
