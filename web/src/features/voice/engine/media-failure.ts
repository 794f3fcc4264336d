import type { MicrophoneState } from './types.ts';

export type MicrophoneFailure = Extract<MicrophoneState, { state: 'unavailable' }>['reason'];

/**
 * What a rejected getUserMedia means to the user. Names as in Media Capture and Streams §10.2; browsers also use
 * older ones (Chromium's TrackStartError, Firefox's AbortError for a device that does not start).
 */
export const toMicrophoneFailure = (error: unknown, isSecure: boolean): MicrophoneFailure => {
  if (!isSecure) return 'insecure';
  switch (nameOfError(error)) {
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

/** By its name, not by its class: a DOMException is no Error everywhere. */
export const nameOfError = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
