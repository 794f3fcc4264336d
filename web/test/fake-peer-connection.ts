import { FakeTrack } from './fake-media-track.ts';

/** All fake connections of a test, and the network between them. */
export interface FakeNetwork {
  readonly connections: FakePeerConnection[];
  /** False: negotiation works, but no connection is ever established. */
  isReachable: boolean;
  create(configuration: RTCConfiguration): RTCPeerConnection;
  /** Connections that are not closed. */
  live(): FakePeerConnection[];
}

export const createFakeNetwork = (): FakeNetwork => {
  const network: FakeNetwork = {
    connections: [],
    isReachable: true,
    create(configuration) {
      const connection = new FakePeerConnection(network, configuration);
      network.connections.push(connection);
      return connection as unknown as RTCPeerConnection;
    },
    live: () => network.connections.filter((one) => one.signalingState !== 'closed'),
  };
  return network;
};

const refuse = (why: string): never => {
  throw new DOMException(why, 'InvalidStateError');
};

/**
 * A fake RTCPeerConnection that enforces the signalling state machine like a browser. Its descriptions are
 * `<type> <connection> <ICE generation>`. Parameters set by the answerer before its answer are lost.
 */
export class FakePeerConnection {
  readonly network: FakeNetwork;
  readonly id: number;
  configuration: RTCConfiguration;
  signalingState: RTCSignalingState = 'stable';
  connectionState: RTCPeerConnectionState = 'new';
  localDescription: { type: 'offer' | 'answer'; sdp: string } | null = null;
  remoteDescription: { type: 'offer' | 'answer'; sdp: string } | null = null;
  ondatachannel: ((event: { channel: { close(): void } }) => void) | null = null;
  onicecandidate: ((event: { candidate: RTCIceCandidateInit | null }) => void) | null = null;
  onconnectionstatechange: (() => void) | null = null;
  readonly transceivers: FakeTransceiver[] = [];
  readonly candidates: (RTCIceCandidateInit | null)[] = [];
  restarts = 0;
  /** Whether the other side's voice arrives, for tests without an other side. */
  isTalkedOn = false;
  /** The level of that voice; undefined: its packets don't say. */
  audioLevel: number | undefined = 0.25;
  /** The seconds that the other side's voice waited, and those that were aimed at, summed over this many samples. */
  jitterBuffer = { jitterBufferDelay: 0, jitterBufferTargetDelay: 0, jitterBufferEmittedCount: 0 };
  channel: FakeDataChannel | null = null;
  private partner: FakePeerConnection | null = null;

  constructor(network: FakeNetwork, configuration: RTCConfiguration) {
    this.network = network;
    this.id = network.connections.length;
    this.configuration = configuration;
  }

  addTransceiver(trackOrKind: FakeTrack | string, init: RTCRtpTransceiverInit = {}): FakeTransceiver {
    const kind = trackOrKind === 'video' ? 'video' : 'audio';
    const transceiver = new FakeTransceiver(this, init.sendEncodings?.[0]?.active ?? true, kind);
    transceiver.direction = init.direction ?? 'sendrecv';
    transceiver.sender.track = typeof trackOrKind === 'string' ? null : trackOrKind;
    this.transceivers.push(transceiver);
    return transceiver;
  }

  createDataChannel(): FakeDataChannel {
    this.channel = new FakeDataChannel(
      () => (this.connectionState === 'connected' ? this.partner : null)?.channel ?? null,
    );
    return this.channel;
  }

  getTransceivers(): FakeTransceiver[] {
    return this.transceivers;
  }

  async setLocalDescription(): Promise<void> {
    await Promise.resolve();
    if (this.signalingState === 'closed') refuse('closed');
    const type = this.signalingState === 'have-remote-offer' ? 'answer' : 'offer';
    this.localDescription = { type, sdp: `${type} ${this.id} ${this.restarts}` };
    this.signalingState = type === 'offer' ? 'have-local-offer' : 'stable';
    if (type === 'answer') for (const { sender } of this.transceivers) sender.forgetEarlyParameters();
    this.onicecandidate?.({ candidate: { candidate: `candidate ${this.id}.${this.restarts}`, sdpMid: '0' } });
    if (type === 'answer') this.connect();
  }

  async setRemoteDescription(description: { type: 'offer' | 'answer'; sdp: string }): Promise<void> {
    await Promise.resolve();
    if (description.type === 'offer' && this.signalingState !== 'stable') refuse('glare');
    if (description.type === 'answer' && this.signalingState !== 'have-local-offer') refuse('no offer is out');
    this.remoteDescription = description;
    this.partner = this.network.connections[Number(description.sdp.split(' ')[1])] ?? null;
    if (description.type === 'offer') {
      this.signalingState = 'have-remote-offer';
      const lines = this.partner?.transceivers.map(({ receiver }) => receiver.track.kind) ?? ['audio'];
      for (const kind of lines.slice(this.transceivers.length)) this.addTransceiver(kind, { direction: 'recvonly' });
    } else {
      this.signalingState = 'stable';
      this.connect();
    }
  }

  async addIceCandidate(candidate: RTCIceCandidateInit | null): Promise<void> {
    if (this.remoteDescription === null) refuse('no remote description');
    this.candidates.push(candidate);
  }

  restartIce(): void {
    this.restarts += 1;
  }

  setConfiguration(configuration: RTCConfiguration): void {
    this.configuration = configuration;
  }

  close(): void {
    this.signalingState = 'closed';
    this.connectionState = 'closed';
    this.channel?.close();
    if (this.partner?.connectionState === 'connected') this.partner.become('disconnected');
  }

  /** Changes the connection state: interrupted, reconnected or failed. */
  become(state: RTCPeerConnectionState): void {
    if (this.connectionState === state || this.signalingState === 'closed') return;
    this.connectionState = state;
    this.onconnectionstatechange?.();
  }

  /** Whether audio packets arrive, played or not. */
  receivesSound(): boolean {
    const sender = this.partner?.transceivers[0]?.sender;
    if (this.connectionState !== 'connected' || sender?.track == null) return false;
    return sender.track.enabled && sender.track.readyState === 'live' && sender.isActive;
  }

  /** The arriving picture: of a live track, on a line that both sides want. */
  receivesPicture(): FakeTrack | null {
    const [mine, theirs] = [this, this.partner].map((one) =>
      one?.transceivers.find(({ receiver }) => receiver.track.kind === 'video'),
    );
    if (this.connectionState !== 'connected' || mine?.direction !== 'sendrecv' || theirs?.direction !== 'sendrecv')
      return null;
    return theirs.sender.track?.readyState === 'live' ? theirs.sender.track : null;
  }

  get sender(): FakeSender {
    const transceiver = this.transceivers[0];
    if (transceiver === undefined) throw new Error('no transceiver yet');
    return transceiver.sender;
  }

  /** Connects both sides asynchronously once each has the other's description, if the network is reachable. */
  private connect(): void {
    queueMicrotask(() => {
      const { partner } = this;
      if (!this.network.isReachable || partner === null || partner.partner !== this) return;
      if (this.signalingState !== 'stable' || partner.signalingState !== 'stable') return;
      this.become('connected');
      partner.become('connected');
      if (this.channel === null || partner.channel === null) return;
      for (const channel of [this.channel, partner.channel]) channel.open();
    });
  }
}

/** A negotiated data channel. Messages arrive at once, or never if the other side has none or closed it. */
export class FakeDataChannel {
  readyState: RTCDataChannelState = 'connecting';
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  private readonly other: () => FakeDataChannel | null;

  constructor(other: () => FakeDataChannel | null) {
    this.other = other;
  }

  open(): void {
    if (this.readyState !== 'connecting') return;
    this.readyState = 'open';
    this.onopen?.();
  }

  send(data: unknown): void {
    if (this.readyState !== 'open') refuse('not open');
    const other = this.other();
    queueMicrotask(() => {
      if (other?.readyState === 'open') other.onmessage?.({ data });
    });
  }

  close(): void {
    if (this.readyState === 'closed') return;
    this.readyState = 'closed';
    this.other()?.close();
  }
}

class FakeTransceiver {
  direction: RTCRtpTransceiverDirection = 'sendrecv';
  readonly sender: FakeSender;
  readonly receiver: {
    track: FakeTrack;
    getSynchronizationSources(): { audioLevel?: number; rtpTimestamp: number }[];
    getStats(): Promise<ReadonlyMap<string, object>>;
  };

  constructor(connection: FakePeerConnection, active: boolean, kind: 'audio' | 'video') {
    this.sender = new FakeSender(connection, active);
    const track = new FakeTrack(`received by ${connection.id}`, '', kind);
    let rtpTimestamp = 0;
    const getSynchronizationSources = () => {
      if (connection.isTalkedOn) rtpTimestamp += 960;
      const { audioLevel } = connection;
      return [{ ...(audioLevel !== undefined && { audioLevel }), rtpTimestamp }];
    };
    const getStats = async () => new Map([['inbound', { type: 'inbound-rtp', ...connection.jitterBuffer }]]);
    this.receiver = { track, getSynchronizationSources, getStats };
  }
}

export class FakeSender {
  track: FakeTrack | null = null;
  isActive: boolean;
  maxBitrate: number | undefined;
  /** The values passed to setParameters, in order. */
  readonly wishes: boolean[] = [];
  /** Concurrent calls of setParameters: now, and the maximum so far. */
  running = 0;
  mostRunning = 0;
  /** While set, setParameters waits for this promise. */
  hold: Promise<void> | null = null;
  /** Number of next calls to reject. */
  refusals = 0;
  private readonly connection: FakePeerConnection;

  constructor(connection: FakePeerConnection, active: boolean) {
    this.connection = connection;
    this.isActive = active;
  }

  getParameters(): { encodings: { active: boolean; maxBitrate?: number }[] } {
    return { encodings: [{ active: this.isActive }] };
  }

  async setParameters(parameters: { encodings: { active: boolean; maxBitrate?: number }[] }): Promise<void> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    const active = parameters.encodings[0]?.active ?? true;
    this.wishes.push(active);
    await (this.hold ?? Promise.resolve());
    this.running -= 1;
    if (this.refusals > 0) {
      this.refusals -= 1;
      refuse('parameters were changed meanwhile');
    }
    if (this.connection.signalingState === 'closed') return;
    this.isActive = active;
    this.maxBitrate = parameters.encodings[0]?.maxBitrate;
  }

  async replaceTrack(track: FakeTrack | null): Promise<void> {
    await Promise.resolve();
    this.track = track;
  }

  /** Resets parameters set before the answer, as browsers do. */
  forgetEarlyParameters(): void {
    if (this.connection.connectionState === 'new') this.isActive = true;
  }
}
