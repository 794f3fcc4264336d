import type { DeviceFailure } from './types.ts';

/**
 * Maps a rejected getUserMedia to a failure for the user. Names as in Media Capture and Streams §10.2; browsers also
 * use older ones (Chromium's TrackStartError, Firefox's AbortError for a device that does not start).
 */
export const toDeviceFailure = (error: unknown, isSecure: boolean): DeviceFailure => {
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

/** Reads `name` without instanceof, because DOMException does not extend Error in every browser. */
export const nameOfError = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
