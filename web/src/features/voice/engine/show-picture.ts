import type { Stop } from './platform.ts';

/** Shows a track in an element, without its sound: that goes by the links' own sinks, under the floor [VID9]. */
export const showPicture = (element: HTMLVideoElement, track: MediaStreamTrack): Stop => {
  element.muted = true;
  element.srcObject = new MediaStream([track]);
  return () => {
    element.srcObject = null;
  };
};
