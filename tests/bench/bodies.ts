import { allEndpoints } from '@parley/contracts';
import { hostileValues, placesIn } from '@parley/testkit/hostile';
import { type BodyCost, costOfBody } from './bodies/body-cost.ts';

// CPU time for a mebibyte of hostile JSON in every field of every endpoint, in this process. Arguments: ids of endpoints; by
// default all. Uploads are not read as a whole: `body-handlers` sends them through the platform.

const BAR_MS = 50;
const TRIES = 2;
const SHOWN = 20;

const wanted = process.argv.slice(2);
const costs: (BodyCost & { place: string })[] = [];
for (const endpoint of allEndpoints) {
  if (endpoint.body === 'stream' || (wanted.length > 0 && !wanted.includes(endpoint.id))) continue;
  for (const { path, wrap } of placesIn(endpoint)) {
    for (const [kind, value] of Object.entries(hostileValues)) {
      const cost = await costOfBody(endpoint, wrap(value), TRIES);
      costs.push({ ...cost, place: `${endpoint.id} ${path}: ${kind}` });
    }
  }
}
costs.sort((a, b) => b.ms - a.ms);
for (const { ms, place, outcome } of costs.slice(0, SHOWN)) {
  console.log(`${ms.toFixed(1).padStart(8)} ms  ${place} (${outcome})`);
}
const worst = costs[0]?.ms ?? 0;
const verdict = worst <= BAR_MS ? 'met' : 'MISSED';
console.log(
  `${costs.length} bodies, the most expensive ${worst.toFixed(1)} ms; bar ${BAR_MS} ms: ${verdict}`,
);
process.exitCode = worst <= BAR_MS ? 0 : 1;
