/** Deployment files name versions and variables of the program: they must exist there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '#src/config/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const known = new Set([...textOf('.env.example').matchAll(/^#?([A-Z\d_]+)=/gmu)].map(([, name = '']) => name));

/** The environment of a service in compose.yaml, with values from deploy/up.sh or defaults. */
function environmentOf(service: string): Record<string, string> {
  const [, text = ''] =
    new RegExp(`^ {2}${service}:\n([\\s\\S]*?)(?=^ {2}\\w|^\\w)`, 'mu').exec(textOf('compose.yaml')) ?? [];
  const [, lines = ''] = /^ {4}environment:\n((?: {6}.*\n)+)/mu.exec(text) ?? [];
  const filled = (value: string) =>
    value
      .replace(/\$\{DOMAIN[^}]*\}/gu, 'radio.example.org')
      .replace(/\$\{\w+:-([^}]*)\}/gu, '$1')
      .replace(/\$\{\w+:\?[^}]*\}/gu, '0123456789abcdef');
  return Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/: (.*)/su))
      .map(([name = '', value = '']) => [name, filled(value)]),
  );
}

describe('what deploys it', () => {
  test('the image has the Node.js that the tests run on', () => {
    const { dependencies } = JSON.parse(textOf('package.json'));
    expect(textOf('Dockerfile')).toContain(`ARG NODE=node:${dependencies.node}-`);
  });

  test('compose sets variables that exist, to values that the server takes', () => {
    const environment = environmentOf('app');
    expect(Object.keys(environment).length).toBeGreaterThan(10);
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    expect(readConfig(environment)).toMatchObject({
      publicUrl: 'https://radio.example.org',
      trustedProxies: ['172.31.250.2'],
      metrics: { listen: { port: 9464, host: '0.0.0.0' } },
    });
    expect(textOf('compose.yaml'), 'the proxy that is believed is Caddy').toContain('ipv4_address: 172.31.250.2');
  });

  test('the script that starts it makes every secret that compose asks for', () => {
    const asked = [...textOf('compose.yaml').matchAll(/\$\{(\w+):\?/gu)].map(([, name]) => name);
    const made = new Set([...textOf('deploy/up.sh').matchAll(/^([A-Z\d_]+)=/gmu)].map(([, name]) => name));
    expect(asked.filter((name) => !made.has(name))).toEqual([]);
  });
});
