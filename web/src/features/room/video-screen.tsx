import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { browserClock } from '#src/features/voice/engine/browser-deps.ts';
import { browserCameras } from '#src/features/voice/engine/camera.ts';
import { createTalkLatch, type TalkLatch } from '#src/features/voice/engine/talk-holds.ts';
import type { FinalStatus } from '#src/features/voice/engine/types.ts';
import { createVideo, type RoomVideo } from '#src/features/voice/engine/video.ts';
import { CameraField } from '#src/features/voice/video/video-controls.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { CreateVideo, OpenRoomSession } from './create-entered-room.ts';
import { useEnteredRooms } from './entered-rooms-context.tsx';
import { RoomCrash } from './room-crash.tsx';
import { type RoomPageState, useRoomPageActions, useRoomPageState } from './use-room-page.ts';
import { VideoView } from './video-view.tsx';

export interface VideoExits {
  /** Called after the room was left. */
  onLeft: () => void;
  /** Replaces the room when it is closed. */
  closed: (status: FinalStatus) => ReactNode;
}

export interface VideoScreenProps {
  /** The channel's rtcSession, from the URL. */
  roomKey: string;
  /** Called when the channel has another key. The URL must follow, because the old key leads nowhere. */
  onRenamed?: (roomKey: string) => void;
  /** For guests, who have no console to go back to. */
  ways?: VideoExits;
  /** Opens the room; tests pass a fake. */
  openRoom?: OpenRoomSession;
}

const withCameras: CreateVideo = (deps) => createVideo({ ...deps, access: browserCameras() });

/** The room with pictures. Its page enters the room, and leaving the page leaves it [TALK110]. */
export function VideoScreen({ roomKey, onRenamed, openRoom, ways }: VideoScreenProps) {
  const page = useRoomPageState({ roomKey, isKept: false, openRoom, createVideo: withCameras });
  const video = page?.enteredRoom.room.video;
  const enteredRooms = useEnteredRooms();
  const navigate = useNavigate();
  if (!(page && video)) return null;
  const onLeave = () => {
    enteredRooms.leave();
    if (ways === undefined) void navigate({ to: '/channelsList' });
    else ways.onLeft();
  };
  return (
    <RoomCrash enteredRoom={page.enteredRoom} onLeave={onLeave}>
      <VideoScreenContent roomKey={roomKey} onRenamed={onRenamed} ways={ways} page={page} video={video} />
    </RoomCrash>
  );
}

interface VideoScreenContentProps {
  roomKey: string;
  onRenamed: VideoScreenProps['onRenamed'] | undefined;
  ways: VideoExits | undefined;
  page: RoomPageState;
  video: RoomVideo;
}

function VideoScreenContent({ page, video, roomKey, onRenamed, ways }: VideoScreenContentProps) {
  const { enteredRoom, preferences, onPreferences } = page;
  const { fallbackName, onLeave, onSignIn } = useRoomPageActions(enteredRoom, roomKey, onRenamed);
  const enteredRooms = useEnteredRooms();
  const leaveAsGuest =
    ways &&
    (() => {
      enteredRooms.leave();
      ways.onLeft();
    });
  const navigate = useNavigate();
  const toRadio = () => {
    const roomId = enteredRoom.room.getSnapshot().channel?.rtcSession ?? roomKey;
    void navigate({ to: '/groupCallView/$roomId', params: { roomId } });
  };
  const pictures = useSnapshot(video);
  const latch = useTalkLatch(enteredRoom.room);
  const setCamera = (isOn: boolean) => {
    onPreferences({ isCameraOn: isOn });
    video.setCamera(isOn);
  };
  return (
    <VideoView
      room={enteredRoom.room}
      video={pictures}
      actions={enteredRoom.actions}
      preferences={preferences}
      onPreferences={onPreferences}
      onChoosingKey={(isChoosing) => enteredRoom.room.pageTalk.setKey({ isChoosing })}
      fallbackName={fallbackName}
      cameras={
        <CameraField
          video={pictures}
          onSelect={(cameraId) => {
            onPreferences({ cameraId });
            video.selectCamera(cameraId);
          }}
        />
      }
      onMicrophone={() => latch?.toggle()}
      onCamera={setCamera}
      onShare={() => void video.shareScreen()}
      onStopSharing={video.stopSharing}
      onLeave={leaveAsGuest ?? onLeave}
      onRadio={ways === undefined ? toRadio : undefined}
      onSignIn={onSignIn}
      onAgain={page.onAgain}
      closed={ways?.closed}
    />
  );
}

/** Returns the microphone's switch while the page is shown. */
function useTalkLatch(room: RoomPageState['enteredRoom']['room']): TalkLatch | undefined {
  const [latch, setLatch] = useState<TalkLatch>();
  useEffect(() => {
    const opened = createTalkLatch(room, browserClock());
    setLatch(opened);
    return opened.close;
  }, [room]);
  return latch;
}
