import { allEndpoints } from '@parley/contracts';
import { hostileValues, placesIn } from '@parley/testkit/hostile';
import { costOfBody } from './bodies/body-cost.ts';

// What a mebibyte of hostile JSON costs in every field of every endpoint, in this process alone. Arguments: endpoints by their
// ids, all without any.

const BAR_MS = 50;
const TRIES = 2;
const SHOWN = 20;

const wanted = process.argv.slice(2);
const costs = allEndpoints
  .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
  .flatMap((endpoint) =>
    placesIn(endpoint).flatMap(({ path, wrap }) =>
      Object.entries(hostileValues).map(([kind, value]) => ({
        ...costOfBody(endpoint, wrap(value), TRIES),
        place: `${endpoint.id} ${path}: ${kind}`,
      })),
    ),
  )
  .sort((a, b) => b.ms - a.ms);
for (const { ms, place, outcome } of costs.slice(0, SHOWN)) {
  console.log(`${ms.toFixed(1).padStart(8)} ms  ${place} (${outcome})`);
}
const worst = costs[0]?.ms ?? 0;
const verdict = worst <= BAR_MS ? 'met' : 'MISSED';
console.log(`${costs.length} bodies, the dearest ${worst.toFixed(1)} ms; bar ${BAR_MS} ms: ${verdict}`);
process.exitCode = worst <= BAR_MS ? 0 : 1;
