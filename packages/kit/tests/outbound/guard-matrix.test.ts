import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressVectors, urlVectors } from './address-vectors.ts';
import { type Matrix, openMatrix } from './guard-matrix.ts';
import { clientOf, requestOf } from './harness.ts';

let matrix: Matrix;
beforeAll(async () => {
  matrix = await openMatrix();
});
afterAll(() => matrix.close());

const REFUSED = ['address_refused', 'redirect_refused'];

describe('addresses that are not public unicast are rejected, and the canary is not reached [webhooks.20]', () => {
  it('of at least 150 spellings of addresses', () => {
    expect(addressVectors.length).toBeGreaterThanOrEqual(150);
    expect(new Set(addressVectors.map(({ host }) => host)).size).toBe(addressVectors.length);
  });

  it('with a canary that records every connection', async () => {
    const before = matrix.connections();
    await clientOf().send(requestOf(`http://127.0.0.1:${matrix.port}/`));
    expect(matrix.connections()).toBe(before + 1);
  });

  it.each([
    'direct',
    'redirect',
    'a name that resolves to it',
    'a name with a public address too',
    'a name that changes its answer between requests',
    'a name that changes its answer once it was judged',
    'a name that changes its answer between a request and its redirect',
  ])(
    '%s',
    async (way) => {
      const before = matrix.connections();
      const through: string[] = [];
      for (const vector of addressVectors) {
        const results = (await matrix.ways[way]?.(vector)) ?? [];
        const outcomes = results.map(({ outcome }) => outcome);
        const isFine = outcomes.length > 0 && outcomes.every((outcome) => REFUSED.includes(outcome));
        if (!isFine) through.push(`${vector.host} (${vector.address}): ${outcomes}`);
      }
      expect(through).toEqual([]);
      expect(matrix.connections()).toBe(before);
    },
    120_000,
  );

  it.each(['direct', 'redirect'])('nor by a whole URL: %s', async (way) => {
    const before = matrix.connections();
    const through: string[] = [];
    for (const text of urlVectors) {
      const url = text.replaceAll('PORT', String(matrix.port));
      for (const { outcome } of (await matrix.urlWays[way]?.(url)) ?? []) {
        // Bytes that no header may have make the redirect itself unreadable.
        if (outcome === 'response') through.push(url);
      }
    }
    expect(through).toEqual([]);
    expect(matrix.connections()).toBe(before);
  });
});
