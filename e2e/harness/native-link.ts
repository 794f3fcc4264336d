import { Audio, PeerConnection, RtcpReceivingSession } from 'node-datachannel';

/** The number that Chromium gives to Opus. */
const OPUS_PAYLOAD_TYPE = 111;

export type NativeSignal =
  | { type: 'offer' | 'answer'; sdp: string }
  | { type: 'candidate'; candidate: { candidate: string; sdpMid?: string | null | undefined } | null };

export interface NativeLinkOptions {
  role: 'offerer' | 'answerer';
  /** Name of this connection, made by the offerer. */
  link: string | undefined;
  ssrc: number;
  send(signal: NativeSignal): void;
  /** Called when its state changed. */
  onState(): void;
  /** Called with each Opus packet of the other side. */
  onVoice(packet: Buffer): void;
}

/** One connection of a native peer to one participant: the protocol of docs/rules/voice-links.md, without a browser. */
export interface NativeLink {
  readonly role: 'offerer' | 'answerer';
  readonly link: string | undefined;
  isConnected(): boolean;
  /** True if no way was found, or if it was lost for good. */
  isDead(): boolean;
  /** True while an offer of ours is out and unanswered. */
  isUnanswered(): boolean;
  receive(signal: NativeSignal): void;
  say(packet: Buffer, rtpTime: number): void;
  close(): void;
}

export function createNativeLink(options: NativeLinkOptions): NativeLink {
  const { role, link, ssrc, send } = options;
  const connection = new PeerConnection('pressel', { iceServers: [] });
  let track: ReturnType<PeerConnection['addTrack']> | null = null;
  let early: NativeSignal[] = [];
  let isClosed = false;
  let isAnswered = false;
  let sequence = 0;

  /** Adds the track before the remote description is set. So it is matched to the offer's line, and both directions use it. */
  const addAudio = (mid: string): void => {
    const audio = new Audio(mid, 'SendRecv');
    audio.addOpusCodec(OPUS_PAYLOAD_TYPE);
    audio.addSSRC(ssrc, 'pressel', 'pressel', 'voice');
    track = connection.addTrack(audio);
    track.setMediaHandler(new RtcpReceivingSession());
    track.onMessage((message) => {
      const packet = isClosed ? null : payloadOf(message);
      if (packet !== null) options.onVoice(packet);
    });
  };

  connection.onLocalDescription((sdp, type) => {
    if (!isClosed && (type === 'offer' || type === 'answer')) send({ type, sdp });
  });
  connection.onLocalCandidate((candidate, mid) => {
    if (!isClosed) send({ type: 'candidate', candidate: { candidate: candidate.replace(/^a=/u, ''), sdpMid: mid } });
  });
  connection.onStateChange(() => {
    if (!isClosed) options.onState();
  });
  if (role === 'offerer') {
    addAudio('0');
    connection.setLocalDescription();
  }

  const addCandidate = ({ candidate }: Extract<NativeSignal, { type: 'candidate' }>): void => {
    if (candidate === null || candidate.candidate === '') return;
    try {
      connection.addRemoteCandidate(candidate.candidate, candidate.sdpMid ?? '0');
    } catch {
      // The candidate is a name that only the browser's own machine resolves (mDNS). The other side finds the way.
    }
  };

  return {
    role,
    link,
    isConnected: () => !isClosed && connection.state() === 'connected',
    isDead: () => isClosed || ['failed', 'closed', 'disconnected'].includes(connection.state()),
    isUnanswered: () => role === 'offerer' && !isAnswered,
    receive(signal) {
      if (isClosed) return;
      if (signal.type === 'candidate') {
        if (connection.remoteDescription() === null) early.push(signal);
        else addCandidate(signal);
        return;
      }
      if (signal.type === 'offer') addAudio(/^a=mid:(\S+)/mu.exec(signal.sdp)?.[1] ?? '0');
      else isAnswered = true;
      connection.setRemoteDescription(signal.sdp, signal.type);
      const waiting = early;
      early = [];
      for (const one of waiting) if (one.type === 'candidate') addCandidate(one);
    },
    say(packet, rtpTime) {
      if (isClosed || track?.isOpen() !== true) return;
      sequence = (sequence + 1) & 0xffff;
      try {
        track.sendMessageBinary(toRtp(packet, sequence, rtpTime, ssrc));
      } catch {
        // It was closed after the check: the connection has threads of its own.
      }
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      connection.close();
    },
  };
}

/** An RTP packet (RFC 3550 §5.1) of one Opus packet. */
function toRtp(payload: Buffer, sequence: number, time: number, ssrc: number): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  header[1] = OPUS_PAYLOAD_TYPE;
  header.writeUInt16BE(sequence, 2);
  header.writeUInt32BE(time, 4);
  header.writeUInt32BE(ssrc, 8);
  return Buffer.concat([header, payload]);
}

/** The Opus packet that an RTP packet carries; null for anything else. */
function payloadOf(message: Buffer): Buffer | null {
  const [first = 0, second = 0] = message;
  if ((second & 0x7f) !== OPUS_PAYLOAD_TYPE || message.length < 12) return null;
  let start = 12 + 4 * (first & 0x0f);
  if ((first & 0x10) !== 0) start += 4 + 4 * message.readUInt16BE(start + 2);
  const end = (first & 0x20) === 0 ? message.length : message.length - (message.at(-1) ?? 0);
  return start < end ? Buffer.from(message.subarray(start, end)) : null;
}
