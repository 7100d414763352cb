import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, SERVICES, type ServiceName } from '@parley/devstack';

export type DocumentedMetric = { name: string; type: string; services: readonly ServiceName[] };

/** The table of docs/metrics.md. */
export async function documentedMetrics(): Promise<DocumentedMetric[]> {
  const text = await readFile(join(ROOT, 'docs/metrics.md'), 'utf8');
  return [...text.matchAll(/^\| `(\w+)` \| (\w+) \| ([\w, ]+) \|/gm)].map(
    ([, name = '', type = '', services = '']) => ({
      name,
      type,
      services: SERVICES.filter((service) => services === 'all' || services.split(', ').includes(service)),
    }),
  );
}
