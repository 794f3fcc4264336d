// @vitest-environment node
import { expect, test } from 'vitest';
import { createAppRouter } from '#src/app/router.tsx';
import type { Session } from '#src/shared/session.ts';
import { routeOf } from '../worker/request-route.ts';

const ORIGIN = 'https://pressel.example';
const opens = (path: string) => routeOf({ method: 'GET', mode: 'navigate', url: `${ORIGIN}${path}` }, ORIGIN);
const fetches = (path: string, over: Partial<Request> = {}) =>
  routeOf({ method: 'GET', mode: 'cors', url: new URL(path, ORIGIN).href, ...over }, ORIGIN);

test('[APP2] every address of the router opens by the kept page', () => {
  const { routesByPath } = createAppRouter({ session: {} as Session, loadWords: async () => undefined });
  // The last route is for all unknown addresses.
  const paths = Object.keys(routesByPath).filter((path) => path !== '/$');
  expect(paths).toContain('/usersList/import');
  for (const path of paths) expect(opens(path.replace('$roomId', 'Nord').replace('$', '%7B%7D')), path).toBe('page');
});

test.each([
  '/signin/',
  '/Signin',
  '/notFound',
  '/usersList?q=a&size=25',
  '/join/Nord#guest=abc',
  '/userCallView/%7B%22a%22:1%7D',
])('[APP2] %s opens by the kept page', (path) => expect(opens(path)).toBe('page'));

test.each([
  '/docs',
  '/docs/openapi.json',
  '/files/photos/a',
  '/user/api/login',
  '/device/api/x',
  '/healthz',
  '/socket.io/',
  '/assets/app-1.js',
  '/sw.js',
  '/manifest.webmanifest',
  '/icons/any-192.png',
  '/grafana/',
  '/join',
  '/join/Nord/more',
  '/dashboards',
])('[APP3] %s is opened as without a worker', (path) => expect(opens(path)).toBe('network'));

test('[APP2] built files are the worker’s', () => {
  expect(fetches('/assets/app-1.js')).toBe('asset');
  expect(fetches('/assets/inter-1.woff2', { mode: 'cors' })).toBe('asset');
});

test.each([
  ['/user/api/getAllUsers', { method: 'POST' }],
  ['/user/api/serverInfo', {}],
  ['/socket.io/?EIO=4&transport=polling', {}],
  ['/files/messages/a.webp?s=1', { mode: 'no-cors' }],
  ['/healthz', {}],
  ['/', {}],
  ['/usersList', {}],
  ['/favicon.svg', { mode: 'no-cors' }],
  ['/assets/app-1.js', { method: 'POST' }],
  ['https://tiles.example/assets/1.png', {}],
  ['https://pressel.example:8443/assets/app-1.js', {}],
] as const)('[APP3] %s %o is asked of the network', (path, over) => expect(fetches(path, over)).toBe('network'));
