import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AMPLITUDE, HIGH_HZ, LOW_HZ, SAMPLE_RATE } from './voice-signal.ts';

const CLIENT = join(import.meta.dirname, '../../examples/python-client/main.py');
/** Length of the header of a WAV file that has only samples, as Python and we write it: RIFF, fmt and data. */
const WAV_HEADER_BYTES = 44;

/** The example's client, at work. */
export interface PythonClient {
  /** All lines that it has printed so far. */
  lines(): readonly string[];
  tell(word: 'talk' | 'stop' | 'quit'): void;
  /** Its exit code. */
  ended: Promise<number | null>;
  kill(): void;
}

/** @param python the interpreter that has what the client needs */
export function startPythonClient(python: string, args: readonly string[], password: string): PythonClient {
  const child: ChildProcess = spawn(python, [CLIENT, ...args], {
    env: { ...process.env, PRESSEL_PASSWORD: password },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return {
    lines: () => lines,
    tell: (word) => void child.stdin?.write(`${word}\n`),
    ended: new Promise((resolve) => child.once('close', resolve)),
    kill: () => void child.kill(),
  };
}

/** The voice `down` as a WAV file of one second: 16 bit, mono. */
export function writeVoice(path: string): void {
  const bytes = 2 * SAMPLE_RATE;
  const file = Buffer.alloc(WAV_HEADER_BYTES + bytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + bytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLE_RATE, 24);
  file.writeUInt32LE(bytes, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(bytes, 40);
  for (let index = 0; index < SAMPLE_RATE; index += 1) {
    const t = index / SAMPLE_RATE;
    const phase = HIGH_HZ * t - ((HIGH_HZ - LOW_HZ) * t * t) / 2;
    file.writeInt16LE(Math.round(32_767 * AMPLITUDE * Math.sin(2 * Math.PI * phase)), WAV_HEADER_BYTES + 2 * index);
  }
  writeFileSync(path, file);
}

/** The samples of a WAV file that the client wrote. */
export function readSound(path: string): Float32Array {
  const bytes = readFileSync(path).subarray(WAV_HEADER_BYTES);
  return Float32Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(2 * index) / 32_767);
}
