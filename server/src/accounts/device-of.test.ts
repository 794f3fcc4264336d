import { expect, test } from 'vitest';
import { deviceOf } from './device-of.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

test.each([
  [CHROME, 'Chrome', 'Linux'],
  [`${CHROME.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64')} Edg/142.0.0.0`, 'Edge', 'Windows'],
  [`${CHROME.replace('X11; Linux x86_64', 'X11; CrOS x86_64 14541.0.0')}`, 'Chrome', 'ChromeOS'],
  [`${CHROME.replace('X11; Linux x86_64', 'Linux; Android 15; K')}`, 'Chrome', 'Android'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox', 'Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari',
    'macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
    'Chrome',
    'iOS',
  ],
  ['okhttp/4.12', null, null],
  ['', null, null],
  [undefined, null, null],
])('[AUTH15] what a device says of itself, from a fixed list: %s', (said, browser, system) => {
  expect(deviceOf(said)).toEqual({ browser, system });
});
