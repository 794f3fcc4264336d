import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchOptions } from '@pressel/e2e/harness/browser';
import { AMPLITUDE, HIGH_HZ, LOW_HZ, SAMPLE_RATE } from '@pressel/e2e/harness/voice-signal';
import { chromium } from 'playwright';
import { findChromium } from './browsers.ts';

/**
 * Makes e2e/harness/opus-voices.json: one second of each known voice as Opus packets of 20 ms, base64. The second is the
 * third of four, so that its end and its beginning fit together when it is said over and over.
 */
const target = join(import.meta.dirname, '../e2e/harness/opus-voices.json');
const browser = await chromium.launch({ ...launchOptions, executablePath: await findChromium() });
try {
  const page = await browser.newPage();
  // WebCodecs are for pages of a safe origin.
  await page.route('http://localhost/', (route) => route.fulfill({ body: '', contentType: 'text/html' }));
  await page.goto('http://localhost/');
  const encode = (voice: 'up' | 'down') =>
    page.evaluate(encodeVoice, { voice, low: LOW_HZ, high: HIGH_HZ, amplitude: AMPLITUDE, rate: SAMPLE_RATE });
  const voices = { up: await encode('up'), down: await encode('down') };
  writeFileSync(target, `${JSON.stringify(voices, null, 2)}\n`);
} finally {
  await browser.close();
}

/** Runs in the page. Must not refer to anything outside itself. */
async function encodeVoice(options: { voice: string; low: number; high: number; amplitude: number; rate: number }) {
  const { voice, low, high, amplitude, rate } = options;
  const packets: string[] = [];
  const encoder = new AudioEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      packets.push(btoa(String.fromCharCode(...bytes)));
    },
    error: (error) => {
      throw error;
    },
  });
  encoder.configure({ codec: 'opus', sampleRate: rate, numberOfChannels: 1, bitrate: 32_000 });
  const samples = Float32Array.from({ length: 4 * rate }, (_, index) => {
    const t = (index % rate) / rate;
    const phase = voice === 'up' ? low * t + ((high - low) * t * t) / 2 : high * t - ((high - low) * t * t) / 2;
    return amplitude * Math.sin(2 * Math.PI * phase);
  });
  encoder.encode(
    new AudioData({
      format: 'f32',
      sampleRate: rate,
      numberOfFrames: samples.length,
      numberOfChannels: 1,
      timestamp: 0,
      data: samples,
    }),
  );
  await encoder.flush();
  return packets.slice(100, 150);
}
