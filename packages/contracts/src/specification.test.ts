import { describe, expect, it } from '@jest/globals';
import type { AnyEndpoint } from './endpoint.ts';
import { publicEndpoints } from './endpoints/index.ts';
import { ERROR_STATUS } from './errors.ts';

const find = (id: string): AnyEndpoint => {
  const endpoint = publicEndpoints.find((one) => one.id === id);
  if (!endpoint) throw new Error(`no endpoint ${id}`);
  return endpoint;
};

/** Whether a field of an endpoint's body or query accepts a value, regardless of missing fields. */
function accepts(id: string, field: string, value: unknown): boolean {
  const { body, query } = find(id);
  const schema = body === 'stream' || body === undefined ? query : body;
  const { error } = schema?.safeParse({ [field]: value }) ?? {};
  return !error?.issues.some(({ path }) => path[0] === field);
}

function defaultOf(id: string, field: string): unknown {
  const { body, query } = find(id);
  const schema = body === 'stream' || body === undefined ? query : body;
  const parsed = schema?.parse(id === 'listTools' ? { agent_id: ID } : {});
  return (parsed as Record<string, unknown> | undefined)?.[field];
}

const ID = '0197a000-0000-7000-8000-000000000000';
const text = (length: number) => 'x'.repeat(length);
const ids = (count: number) => Array.from({ length: count }, () => ID);

describe('Limits', () => {
  it.each([
    ['Assistant list size: 1-100', 'listAssistants', 'size', [1, 100], [0, 101, 1.5]],
    ['Tool list size: 1-100', 'listTools', 'size', [1, 100], [0, 101]],
    ['Tool list search: 1-255 characters', 'listTools', 'search', ['x', text(255)], ['', text(256)]],
    ['v2 call list size: 1-1000', 'listCalls', 'size', [1, 1000], [0, 1001]],
    [
      'v2 call list: each filter array at most 100 values',
      'listCalls',
      'agent_ids',
      [[], ids(100)],
      [ids(101)],
    ],
    ['agent_name: 1-255 characters', 'createAssistant', 'agent_name', ['x', text(255)], ['', ' ', text(256)]],
    ['tool_name: 1-64 characters', 'createCustomTool', 'tool_name', ['x', text(64)], ['', text(65)]],
    ['Phone number nickname: up to 100 characters', 'connectSipNumber', 'nickname', [text(100)], [text(101)]],
    ['max_cps: at least 0.1', 'updatePhoneNumber', 'max_cps', [0.1, 1], [0.09, 0, -1]],
    [
      'Inbound webhook URL: up to 2,048 characters',
      'updatePhoneNumber',
      'inbound_webhook_url',
      [`https://e.org/${text(2034)}`],
      [`https://e.org/${text(2035)}`],
    ],
    [
      'Tool timeout_seconds: whole number 5-300',
      'createCustomTool',
      'timeout_seconds',
      [5, 300],
      [4, 301, 5.5],
    ],
    ['page: 1-based', 'listCalls', 'page', [1, 2], [0, -1, 1.5]],
  ])('%s', (_sentence, id, field, good, bad) => {
    for (const value of good) expect([value, accepts(id, field, value)]).toEqual([value, true]);
    for (const value of bad) expect([value, accepts(id, field, value)]).toEqual([value, false]);
  });

  it.each([
    ['listAssistants', 'size', 10],
    ['listTools', 'size', 10],
    ['listCalls', 'size', 50],
    ['listPhoneNumbers', 'size', 10],
    ['listCalls', 'page', 1],
    ['listCampaigns', 'limit', 50],
    ['listDoNotCall', 'offset', 0],
  ])('%s: the default of %s is %i', (id, field, value) => {
    expect(defaultOf(id, field)).toBe(value);
  });
});

describe('Errors', () => {
  it('codes and statuses', () => {
    expect(ERROR_STATUS).toMatchObject({
      UNAUTHORIZED: 401,
      FORBIDDEN: 403,
      NOT_FOUND: 404,
      CAMPAIGN_NOT_FOUND: 404,
      CONFLICT: 409,
      VALIDATION_FAILED: 422,
      INTERNAL_ERROR: 500,
      METHOD_NOT_ALLOWED: 405,
      REQUEST_TIMEOUT: 408,
      PAYLOAD_TOO_LARGE: 413,
      UNSUPPORTED_MEDIA_TYPE: 415,
      RATE_LIMITED: 429,
      CONCURRENCY_LIMIT: 429,
      SERVICE_UNAVAILABLE: 503,
    });
  });

  it('only legacy routes return a bare HTTP status [general.10]', () => {
    expect(publicEndpoints.filter(({ legacy }) => legacy).map(({ path }) => path)).toEqual(['/calls']);
  });
});

describe('Authentication', () => {
  it('errorMessage is in the 401 of exactly the routes that have it [general.11]', () => {
    const isNamed = ({ method, path }: AnyEndpoint) =>
      /^\/v1\/(assistant|tool|phone-number)(\/|$)/.test(path) || `${method} ${path}` === 'POST /v2/call';
    for (const endpoint of publicEndpoints)
      expect([endpoint.id, endpoint.errorMessage401 === true]).toEqual([endpoint.id, isNamed(endpoint)]);
  });

  it('every endpoint of the REST API requires a private key [access.1]', () => {
    const rest = publicEndpoints.filter(({ path }) => /^\/(v1|v2|calls)/.test(path));
    expect(rest.length).toBeGreaterThan(50);
    expect(rest.filter(({ access }) => access !== 'private')).toEqual([]);
  });
});

describe('Versioning', () => {
  it('most routes are under /v1, calls under /v2, and legacy routes have no version prefix', () => {
    const versioned = publicEndpoints.filter(({ access }) => access === 'private');
    const prefixes = versioned.map(({ path }) => path.split('/')[1] ?? '');
    expect(new Set(prefixes)).toEqual(new Set(['v1', 'v2', 'calls', 'simulator']));
    const count = (prefix: string) => prefixes.filter((one) => one === prefix).length;
    expect(count('v1')).toBeGreaterThan(versioned.length / 2);
    for (const id of ['createPhoneCall', 'getCall', 'listCalls', 'resendCallWebhooks'])
      expect(find(id).path).toMatch(/^\/v2\/call/);
  });
});

describe('Roles', () => {
  it('lists and searches by POST are marked as read-only [access.5]', () => {
    const reads = publicEndpoints.filter(({ readsOnly, access }) => readsOnly && access === 'private');
    expect(reads.map(({ path }) => path).sort()).toEqual([
      '/v1/assistant/list',
      '/v1/knowledge-base/:id/search',
      '/v1/phone-number/list',
      '/v1/tool/list',
      '/v2/call/list',
    ]);
  });
});
