import type { MicrophoneState } from './types.ts';

export type MicrophoneFailure = Extract<MicrophoneState, { state: 'unavailable' }>['reason'];

/**
 * What a rejected getUserMedia means to the user. Names as in Media Capture and Streams §10.2; browsers also use
 * older ones (Chromium's TrackStartError, Firefox's AbortError for a device that does not start).
 */
export const toMicrophoneFailure = (error: unknown, isSecure: boolean): MicrophoneFailure => {
  if (!isSecure) return 'insecure';
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  switch (name) {
    case 'NotAllowedError':
    case 'PermissionDeniedError':
    case 'SecurityError':
      return 'refused';
    case 'NotFoundError':
    case 'DevicesNotFoundError':
    case 'OverconstrainedError':
      return 'missing';
    default:
      return 'busy';
  }
};
