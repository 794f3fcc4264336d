/** Metrics that Prometheus and Grafana use must exist: a renamed metric would silence an alert. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@pressel/contract/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '#src/logs/metrics-registry.ts';
import { alone } from './alone.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const RULES = textOf('deploy/prometheus/pressel.rules.yml');
const DASHBOARD = textOf('deploy/grafana/pressel.json');
const RUNBOOK = textOf('docs/alerts.md');

interface Panel {
  id: number;
  type: string;
  description?: string;
  targets?: { expr: string }[];
}
const { panels }: { panels: Panel[] } = JSON.parse(DASHBOARD);
const alerts = RULES.split(/^ {6}- alert: /mu)
  .slice(1)
  .map((text) => ({
    name: /^\w+/u.exec(text)?.[0] ?? '',
    text,
    expr: /expr: ([\s\S]*?)\n {8}\w+:/u.exec(text)?.[1] ?? '',
  }));
const asked = [
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...alerts.map(({ expr }) => expr),
];

alone('each process has metrics of its own').describe('what watches the server [OPS6]', () => {
  let t: TestApp;
  let scrape: string;
  beforeAll(async () => {
    const metrics = createMetrics('0.0.0-test');
    t = await buildTestApp({ metrics });
    scrape = await metrics.read();
  });
  afterAll(() => t.close());

  test('asks for metrics that exist', () => {
    const kinds = new Map([...scrape.matchAll(/^# TYPE (\w+) (\w+)$/gmu)].map(([, name, kind]) => [name, kind]));
    const names = new Set(asked.flatMap((expr) => expr.match(/\b(?:pressel|nodejs|process)_\w+/gu) ?? []));
    expect(names.size).toBeGreaterThan(15);
    const unknown = [...names].filter((name) => {
      const [, base = name] = /^(.*)_(?:bucket|sum|count)$/u.exec(name) ?? [];
      return !kinds.has(name) && kinds.get(base) !== 'histogram';
    });
    expect(unknown).toEqual([]);
  });

  test('asks every metric of ours for something', () => {
    const ours = [...scrape.matchAll(/^# TYPE (pressel_\w+) /gmu)].map(([, name = '']) => name);
    expect(ours.filter((name) => !asked.some((expr) => expr.includes(name)))).toEqual([]);
  });

  test('asks for values of labels that exist', () => {
    const pairs = asked.flatMap((expr) => [...expr.matchAll(/\b(code|state|queue)!?=~?"([^"$]+)"/gu)]);
    const inScrape = (label: string, value: string) => scrape.includes(`${label}="${value}"`);
    const unknown = pairs.filter(([, label = '', values = '']) =>
      values.split('|').some((value) => (label === 'code' ? !Object.hasOwn(ERRORS, value) : !inScrape(label, value))),
    );
    expect(unknown.map(([text]) => text)).toEqual([]);
  });

  test('has eleven alerts, each with a severity and a paragraph on what to do', () => {
    expect(alerts).toHaveLength(11);
    for (const { name, text } of alerts) {
      expect(text).toMatch(/severity: (?:critical|warning)/u);
      expect(text).toContain(`runbook: docs/alerts.md#${name.toLowerCase()}`);
    }
    const chapters = RUNBOOK.split(/^## /mu).slice(1);
    expect(chapters.map((chapter) => chapter.split('\n')[0])).toEqual(alerts.map(({ name }) => name));
    expect(chapters.filter((chapter) => !chapter.includes('**What to do:**'))).toEqual([]);
  });

  test('has panels of different ids', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
