import { Select } from '@mantine/core';
import type { VideoSnapshot } from '../engine/video.ts';
import { useVideoWords } from '../video-words.ts';

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
