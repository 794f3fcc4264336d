import { Select } from '@mantine/core';
import {
  IconMicrophone,
  IconMicrophoneOff,
  IconScreenShare,
  IconScreenShareOff,
  IconVideo,
  IconVideoOff,
  type TablerIcon,
} from '@tabler/icons-react';
import type { VideoSnapshot } from '../engine/video.ts';
import { useVideoWords } from '../talk-words.ts';
import { type RoomSource, useRoomSelector } from '../use-room-selector.ts';
import styles from './video-controls.module.css';

export interface VideoControlsProps {
  room: RoomSource;
  video: VideoSnapshot;
  onMicrophone: () => void;
  onCamera: (isOn: boolean) => void;
  onShare: () => void;
  onStopSharing: () => void;
}

/** Switches of microphone, camera and screen. The microphone's switch asks for the floor, as a press does [VID10]. */
export function VideoControls(props: VideoControlsProps) {
  const { room, video } = props;
  const t = useVideoWords();
  const talk = useRoomSelector(room, (snapshot) => snapshot.talk.state);
  const canTalk = useRoomSelector(
    room,
    ({ status, microphone }) => status.state === 'joined' && microphone.state === 'ready',
  );
  const isTalking = talk === 'talking' || talk === 'asking' || talk === 'queued';
  const isSharing = video.screen === 'on';
  const isCameraOn = video.camera.state === 'on' || video.camera.state === 'starting';
  return (
    <fieldset className={styles.controls} aria-label={t('controls.label')}>
      <Switch
        label={t('controls.microphone')}
        icon={isTalking ? IconMicrophone : IconMicrophoneOff}
        isOn={isTalking}
        signal="transmit"
        disabled={!canTalk}
        onClick={props.onMicrophone}
      />
      <Switch
        label={t('controls.camera')}
        icon={isCameraOn ? IconVideo : IconVideoOff}
        isOn={isCameraOn}
        signal="info"
        disabled={isSharing}
        onClick={() => props.onCamera(!isCameraOn)}
      />
      {video.screen !== 'unsupported' && (
        <Switch
          label={t('controls.screen')}
          icon={isSharing ? IconScreenShareOff : IconScreenShare}
          isOn={isSharing}
          signal="info"
          disabled={video.screen === 'asking'}
          onClick={isSharing ? props.onStopSharing : props.onShare}
        />
      )}
    </fieldset>
  );
}

function Switch(props: {
  label: string;
  icon: TablerIcon;
  isOn: boolean;
  signal: 'transmit' | 'info';
  disabled: boolean;
  onClick: () => void;
}) {
  const { icon: Icon, isOn } = props;
  return (
    <button
      type="button"
      className={styles.switch}
      data-signal={props.signal}
      aria-pressed={isOn}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      <Icon size={22} stroke={1.8} aria-hidden="true" />
      <span className={styles.word} title={props.label}>
        {props.label}
      </span>
    </button>
  );
}

/** The choice of the camera. */
export function CameraField({ video, onSelect }: { video: VideoSnapshot; onSelect: (deviceId: string) => void }) {
  const t = useVideoWords();
  const { camera, cameras } = video;
  return (
    <Select
      label={t('settings.camera')}
      placeholder={t(cameras.length > 0 ? 'settings.cameraOff' : 'settings.cameraNone')}
      data={cameras.map((choice, index) => ({
        value: choice.deviceId,
        label: choice.label === '' ? t('settings.cameraUnnamed', { number: index + 1 }) : choice.label,
      }))}
      value={camera.state === 'on' ? camera.deviceId : null}
      disabled={cameras.length === 0}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
      onChange={(deviceId) => deviceId !== null && onSelect(deviceId)}
    />
  );
}
