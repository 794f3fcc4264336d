import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { SAMPLE_RATE, type Voice } from './voice-signal.ts';

export const PACKET_MS = 20;
/** RTP time of one packet (RFC 7587: always 48 kHz). */
const PACKET_TICKS = (SAMPLE_RATE * PACKET_MS) / 1000;

/** The known voices as ready-made Opus packets: one second each, for playing over and over. scripts/opus-voices.ts made them. */
export function readOpusVoices(): Record<Voice, readonly Buffer[]> {
  const file = readFileSync(join(import.meta.dirname, 'opus-voices.json'), 'utf8');
  const voices = JSON.parse(file) as Record<Voice, string[]>;
  const decode = (packets: readonly string[]) => packets.map((packet) => Buffer.from(packet, 'base64'));
  return { up: decode(voices.up), down: decode(voices.down) };
}

/** Called for each packet that is due: its number, without gaps, and its RTP time, which goes on whatever happens. */
export type PacketTick = (index: number, rtpTime: number) => void;

/** One clock for all native peers of a process: a timer each would take most of the work. */
export interface Pacer {
  /** Calls `beat` from now on. @returns a function that stops it */
  add(beat: PacketTick): () => void;
  close(): void;
}

export function createPacer(): Pacer {
  const beats = new Set<PacketTick>();
  const begun = performance.now();
  let said = 0;
  let at = 0;
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - begun) / PACKET_MS);
    // A stalled process must not catch up all at once: the voice pauses, and goes on where it was.
    if (due - at > 10) at = due - 1;
    for (; at < due; at += 1) {
      for (const beat of beats) beat(said, (at * PACKET_TICKS) >>> 0);
      said += 1;
    }
  }, PACKET_MS / 2);
  return {
    add(beat) {
      beats.add(beat);
      return () => beats.delete(beat);
    },
    close: () => clearInterval(timer),
  };
}

/** The sound of Opus packets that arrived one after the other, decoded by a browser: any page of ours will do. */
export async function decodeOpus(page: Page, packets: readonly Buffer[]): Promise<Float32Array> {
  const base64 = await page.evaluate(decodeInPage, {
    packets: packets.map((packet) => packet.toString('base64')),
    rate: SAMPLE_RATE,
    packetMs: PACKET_MS,
  });
  const bytes = Buffer.from(base64, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Runs in the page. Must not refer to anything outside itself. */
async function decodeInPage(options: { packets: string[]; rate: number; packetMs: number }): Promise<string> {
  const parts: Float32Array[] = [];
  const decoder = new AudioDecoder({
    output: (data) => {
      const samples = new Float32Array(data.numberOfFrames);
      data.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
      parts.push(samples);
      data.close();
    },
    error: (error) => {
      throw error;
    },
  });
  decoder.configure({ codec: 'opus', sampleRate: options.rate, numberOfChannels: 1 });
  for (const [index, packet] of options.packets.entries()) {
    const data = Uint8Array.from(atob(packet), (letter) => letter.charCodeAt(0));
    decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: index * options.packetMs * 1000, data }));
  }
  await decoder.flush();
  const bytes = new Uint8Array(await new Blob(parts as unknown as BlobPart[]).arrayBuffer());
  let text = '';
  for (let from = 0; from < bytes.length; from += 0x8000)
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  return btoa(text);
}
