import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicEndpoints } from '@parley/contracts';
import { type AskOptions, type Harness, newWorkspace, startHarness } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const ours = publicEndpoints.filter(({ service }) => service === 'telephony');
const routesFor = (...access: string[]): [string, string][] =>
  ours.filter((endpoint) => access.includes(endpoint.access)).map(({ method, path }) => [method, path]);
const ask = (method: string, path: string, options: AskOptions) =>
  harness.ask(newWorkspace(), method, path.replace(/:\w+/g, randomUUID()), options);

const PUBLIC_KEY = { kind: 'public_key', id: randomUUID() } as const;

describe('Authentication', () => {
  it.each(routesFor('private', 'widget'))('3: %s %s is 401 without a key', async (method, path) => {
    expect((await ask(method, path, { token: false })).status).toBe(401);
  });

  it.each(routesFor('private'))('4: %s %s is 403 for a public key', async (method, path) => {
    const { status, body } = await ask(method, path, { actor: PUBLIC_KEY });
    expect(status).toBe(403);
    if (path !== '/calls') expect(body.error.code).toBe('FORBIDDEN');
  });

  it('2: a public key is only for the browser widget', () => {
    expect(routesFor('widget')).toEqual([['POST', '/widget/call']]);
  });

  it('5: a request without Authorization is answered with errorMessage on phone numbers, tests and Create phone call', () => {
    const told = ours
      .filter(({ errorMessage401 }) => errorMessage401)
      .map(({ method, path }) => `${method} ${path}`);
    const expected = ours
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => / \/v1\/(phone-number|assistant|tool)/.test(route) || route === 'POST /v2/call');
    expect(told.sort()).toEqual(expected.sort());
  });
});
