import { browserDevices } from './browser-deps.ts';
import type { CameraAccess } from './platform.ts';

/** The cameras and screens of a real browser, for the video view. Asks for nothing by itself. */
export const browserCameras = (): CameraAccess => {
  // Undefined where screens can't be shared, although its type does not say so.
  const devices: Partial<MediaDevices> | undefined = navigator.mediaDevices;
  const canShare = devices?.getDisplayMedia !== undefined;
  return { ...browserDevices('video'), openScreen: canShare ? openScreen : null };
};

const openScreen = async (): Promise<MediaStreamTrack> => {
  // Sound of a screen would pass the floor by.
  const wanted = { video: { frameRate: { ideal: 5, max: 10 }, width: { max: 1920 } }, audio: false };
  const [track] = (await navigator.mediaDevices.getDisplayMedia(wanted)).getVideoTracks();
  if (track === undefined) throw new DOMException('no video track', 'NotFoundError');
  // Letters before movement.
  track.contentHint = 'detail';
  return track;
};
