import { expect, it } from '@jest/globals';
import { allEndpoints } from '@parley/contracts';
import { hostileValues, placesIn } from '@parley/testkit/hostile';
import { costOfBody } from './body-cost.ts';

/** The bar is 50 ms on a quiet machine (`npm run bench -- bodies`, which tries every field). */
const GENEROUS_MS = 150;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Values for each field that is a list or an object: one error per item, or none. */
const IN_LISTS = ['many empty strings', 'many empty objects', 'many nulls'];

const createWidgetCall = allEndpoints.find(({ id }) => id === 'createWidgetCall');
if (!createWidgetCall) throw new Error('no endpoint createWidgetCall');
const [unknownField] = placesIn(createWidgetCall);

it.each(Object.entries(hostileValues))('a mebibyte is cheap: %s', async (_kind, value) => {
  const { ms, outcome } = await costOfBody(createWidgetCall, unknownField?.wrap(value) ?? '', 3);
  expect(ms).toBeLessThan(GENEROUS_MS);
  expect(Number(/(\d+) bytes/.exec(outcome)?.[1] ?? 0)).toBeLessThan(MAX_ANSWER_BYTES);
});

const lists = allEndpoints.flatMap((endpoint) =>
  (endpoint.body === 'stream' ? [] : placesIn(endpoint))
    .filter(({ path }) => path.endsWith('.[]'))
    .map(({ path }) => path.slice(0, -'.[]'.length))
    .map((path) => ({ endpoint, id: endpoint.id, path })),
);

it.each(lists)('tens of thousands of invalid items are cheap: $id $path', async ({ endpoint, path }) => {
  const { wrap } = placesIn(endpoint).find((place) => place.path === path) ?? {};
  for (const kind of IN_LISTS) {
    const { ms } = await costOfBody(endpoint, wrap?.(hostileValues[kind] ?? '') ?? '', 3);
    expect({ kind, ms: ms < GENEROUS_MS || ms }).toEqual({ kind, ms: true });
  }
});
