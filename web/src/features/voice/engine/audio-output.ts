import type { Clock } from './platform.ts';

const SAMPLES = 80;
const SAMPLES_PER_SECOND = 8_000;
/** The middle of 8 bits. */
const SILENT = 128;
/** Longer than Chromium takes to start its audio process on a busy machine. */
const PATIENCE_MS = 1_000;

/**
 * Chromium starts its process for audio with the first use. The first AudioContext of a page stops the page meanwhile, for 20 to 600 ms; an
 * element that plays doesn't. So a hundredth of a second of silence is played, muted. Afterwards a context takes a few ms.
 * Resolves when contexts may be made, also where nothing could be played. Other browsers make contexts without stopping.
 */
export async function openAudioOutput(clock: Pick<Clock, 'after'>): Promise<void> {
  // Only Chromium's contexts choose their device.
  if (!('setSinkId' in AudioContext.prototype)) return;
  // The address is kept: the element may load it after it was refused to play.
  const element = new Audio(URL.createObjectURL(new Blob([silence()], { type: 'audio/wav' })));
  element.muted = true;
  const timeout = new Promise<void>((resolve) => void clock.after(PATIENCE_MS, resolve));
  await Promise.race([element.play().catch(() => undefined), timeout]);
}

/** A WAV file of one channel with 8 bits (Multimedia Programming Interface and Data Specifications 1.0, 1991). */
function silence(): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(44 + SAMPLES).fill(SILENT, 44);
  const view = new DataView(file.buffer);
  const write = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
  write(0, 'RIFF');
  view.setUint32(4, file.length - 8, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  // PCM, one channel.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  // Samples and bytes a second.
  view.setUint32(24, SAMPLES_PER_SECOND, true);
  view.setUint32(28, SAMPLES_PER_SECOND, true);
  // Bytes and bits of a sample.
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(36, 'data');
  view.setUint32(40, SAMPLES, true);
  return file;
}
