/** The part of MediaStreamTrack that the engine uses. */
export class FakeTrack extends EventTarget {
  readonly kind: 'audio' | 'video';
  readonly label: string;
  readonly deviceId: string;
  enabled = true;
  readyState: 'live' | 'ended' = 'live';
  muted = false;
  readonly copies: FakeTrack[] = [];

  constructor(label: string, deviceId = label, kind: 'audio' | 'video' = 'audio') {
    super();
    this.kind = kind;
    this.label = label;
    this.deviceId = deviceId;
  }

  getSettings(): MediaTrackSettings {
    return { deviceId: this.deviceId };
  }

  /** A track of the same device. It is muted and ended with the device, but enabled and stopped by itself. */
  clone(): FakeTrack {
    const copy = new FakeTrack(this.label, this.deviceId, this.kind);
    copy.enabled = this.enabled;
    copy.muted = this.muted;
    this.copies.push(copy);
    return copy;
  }

  /** Stopped by the app: no 'ended' event, as in browsers. */
  stop(): void {
    this.readyState = 'ended';
  }

  /** Muted by the system, the headset or another tab: the track continues, but delivers silence. */
  mute(muted = true): void {
    this.muted = muted;
    this.dispatchEvent(new Event(muted ? 'mute' : 'unmute'));
  }

  /** Ended by the system: unplugged, or permission revoked. */
  end(): void {
    this.readyState = 'ended';
    this.dispatchEvent(new Event('ended'));
  }
}

export const asTrack = (track: FakeTrack): MediaStreamTrack => track as unknown as MediaStreamTrack;
