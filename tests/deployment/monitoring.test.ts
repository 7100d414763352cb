import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '@parley/devstack';
import { parse } from 'yaml';
import { documentedMetrics } from '../platform/documented-metrics.ts';
import type { Manifest } from './kustomize.ts';

const read = (name: string): string => readFileSync(join(ROOT, 'k8s/components/monitoring', name), 'utf8');
const dashboard: Manifest = JSON.parse(read('dashboard.json'));
const rules: Manifest[] = parse(read('alerts.yaml')).spec.groups.flatMap((group: Manifest) => group.rules);
const targets: string[] = dashboard.panels.flatMap((panel: Manifest) =>
  (panel.targets ?? []).map(({ expr }: Manifest) => expr),
);

/** Metrics that the client library adds to every process. */
const OF_THE_PROCESS = /^(process|nodejs)_/;
/** The series of a histogram. */
const PARTS = ['_bucket', '_sum', '_count'];

function metricsIn(expr: string): string[] {
  // Labels and their values name no metrics.
  const bare = expr.replace(/\{[^}]*\}/g, '').replace(/\b(by|on|without|ignoring) \([^)]*\)/g, '');
  return [...bare.matchAll(/\b(?:parley|http|process|nodejs)_\w+/g)].map(([name]) => name);
}

describe('the dashboard and the alerts', () => {
  it('use metrics that the services export, as tests/observability.test.ts verifies for docs/metrics.md', async () => {
    const documented = await documentedMetrics();
    const series = new Set(
      documented.flatMap(({ name, type }) =>
        type === 'histogram' ? PARTS.map((part) => name + part) : [name],
      ),
    );
    const asked = [...targets, ...rules.map(({ expr }) => expr)].flatMap(metricsIn);
    expect(asked.length).toBeGreaterThan(60);
    expect(asked.filter((name) => !series.has(name) && !OF_THE_PROCESS.test(name))).toEqual([]);
  });

  it('show every documented metric', async () => {
    const shown = new Set([...targets, ...rules.map(({ expr }) => expr)].flatMap(metricsIn));
    const missing = (await documentedMetrics()).filter(
      ({ name }) => ![name, ...PARTS.map((part) => name + part)].some((it) => shown.has(it)),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('show every metric of the SIP edge that is documented, which is every one that it exports', () => {
    const config = readFileSync(join(ROOT, 'packages/sip-edge/kamailio.cfg'), 'utf8');
    const exported = [...config.matchAll(/"prom_(?:counter|gauge)", "name=(\w+);/g)].map(
      ([, name]) => `kamailio_${name}`,
    );
    const text = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8');
    const documented = [...text.matchAll(/^\| `(kamailio_\w+)` \|/gm)].map(([, name]) => name);
    expect(documented.length).toBeGreaterThan(4);
    expect([...documented].sort()).toEqual([...exported].sort());
    const shown = [...targets, ...rules.map(({ expr }) => expr)].join('\n');
    expect(documented.filter((name) => !new RegExp(`\\b${name}\\b`).test(shown))).toEqual([]);
  });

  it('are explained in docs/operations.md, with their severity', () => {
    const operations = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(operations).toContain(`\`${alert}\``);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toEqual(expect.any(String));
    }
  });
});
