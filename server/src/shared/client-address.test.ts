import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

const FROM = ['203.0.113.7', '192.0.2.1', '10.1.2.3', '::1', '2001:db8::7', 'fd00::1'];
const TOLD = [
  undefined,
  '198.51.100.1',
  '198.51.100.1, 198.51.100.2',
  '198.51.100.1, 10.0.0.1',
  '198.51.100.1,172.20.0.1 , 192.168.1.1',
  '10.0.0.7, 10.0.0.8',
  '2001:db8::1, fe80::1',
  'nonsense',
  '',
];

test('the address is the one that calls are counted under, whoever claims what', async () => {
  for (const isBehindProxy of [true, false]) {
    const app = Fastify({ trustProxy: isBehindProxy ? ['loopback', 'linklocal', 'uniquelocal'] : false });
    app.get('/', (request) => ({ calls: request.ip, sockets: clientAddress(request.raw, isBehindProxy) }));
    for (const remoteAddress of FROM) {
      for (const told of TOLD) {
        const headers = told === undefined ? {} : { 'x-forwarded-for': told };
        const { calls, sockets } = (await app.inject({ url: '/', remoteAddress, headers })).json();
        expect([remoteAddress, told, sockets]).toEqual([remoteAddress, told, calls]);
      }
    }
    await app.close();
  }
});
