#!/usr/bin/env node
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/**
 * Stands between Playwright, which starts this, and the Firefox of `FIREFOX_PATH`, which this starts. It answers one command of WebDriver
 * BiDi that Playwright sends for each context and that Firefox doesn't know yet. Everything else passes as it is.
 */

const UNKNOWN_TO_FIREFOX = 'emulation.setMediaFeaturesOverride';
const READY = /(?<=WebDriver BiDi listening on )ws:\/\/\S+/u;

const { FIREFOX_PATH: path = 'firefox' } = process.env;
const firefox = spawn(path, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'pipe'] });
firefox.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => firefox.kill(signal));

for await (const line of createInterface({ input: firefox.stderr })) {
  const address = READY.exec(line)?.[0];
  process.stderr.write(`${address === undefined ? line : line.replace(address, await standBefore(address))}\n`);
}

/** Returns the address at which this process listens for Firefox. */
async function standBefore(address: string): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (driver, { url = '' }) => {
    const browser = new WebSocket(address + url, { perMessageDeflate: false });
    const opened = new Promise((resolve) => browser.once('open', resolve));
    driver.on('message', async (data: RawData) => {
      const text = String(data);
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      await opened;
      if (method === UNKNOWN_TO_FIREFOX) driver.send(JSON.stringify({ type: 'success', id, result: {} }));
      else browser.send(text);
    });
    browser.on('message', (data: RawData) => driver.send(String(data)));
    browser.once('error', () => driver.terminate());
    browser.once('close', () => driver.close());
    driver.once('close', () => browser.close());
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
