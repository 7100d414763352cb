import { type ClientRequest, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace } from '../src/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
let isBack = false;
let lines: { level: string; status?: number }[] = [];

beforeAll(async () => {
  // Accepts each request and then breaks the connection or never responds, until it recovers.
  owner = await fakeOwner((req, res) => {
    if (req.url === '/v1/voice?hang') return;
    if (isBack) res.end('{}');
    else res.destroy();
  });
  const write = (line: string) => void lines.push(JSON.parse(line));
  gateway = await bootGateway(
    { ASSISTANTS_URL: owner.url, CAMPAIGNS_URL: owner.url },
    createLogger({ service: 'gateway', level: 'info', destination: { write } }),
  );
  const limits = { requestsPerMinute: 600_000, requestBurst: 100_000 };
  await gateway.context.workspaces.set(gateway.workspace.workspace_id, limits, { kind: 'operator' });
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

beforeEach(() => {
  lines = [];
  owner.seen.length = 0;
});

const seenOf = (path: string) => owner.seen.filter(({ url }) => url === path).length;
const headers = () => ({ authorization: `Bearer ${gateway.workspace.private_key}` });

describe('a connection that breaks', () => {
  it('a client that disconnects ends its request at the service, without an error', async () => {
    const asking: ClientRequest = httpRequest(`${gateway.url}/v1/voice?hang`, { headers: headers() });
    asking.on('error', () => {}).end();
    await eventually(() => expect(seenOf('/v1/voice?hang')).toBe(1));
    asking.destroy();
    await eventually(() => expect(lines.map(({ status }) => status)).toContain(499));
    await new Promise(setImmediate);
    // Only request lines: jobs of the gateway also call this service.
    expect(lines.filter(({ level, status }) => status !== undefined && level !== 'info')).toEqual([]);
  });

  it('retries a read once, and never a change', async () => {
    const read = await request(gateway.url).get('/v1/voice').set(headers());
    expect([read.status, seenOf('/v1/voice')]).toEqual([503, 2]);
    owner.seen.length = 0;
    const id = '01a1f93d-8f38-70b8-933b-275ecd71b375';
    const verb = await request(gateway.url).post(`/v1/campaigns/${id}/resume`).set(headers());
    expect([verb.status, seenOf(`/v1/campaigns/${id}/resume`)]).toEqual([503, 1]);
  });

  it('a service that recovers serves reads while an upload to it is still running', async () => {
    const read = () => request(gateway.url).get('/v1/campaigns').set(headers());
    await Promise.all(Array.from({ length: 30 }, read));
    isBack = true;
    // The breaker's own pause.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const options = { method: 'POST', headers: { ...headers(), 'content-length': '1000' } };
    const upload = httpRequest(`${gateway.url}/v1/campaigns`, options);
    upload.on('error', () => {}).write('{');
    await eventually(() => expect(owner.uploads()).toBe(1));
    expect((await read()).status).toBe(200);
    upload.destroy();
  });

  /** One after the other: together they could exceed the maximum wait of a transaction for a connection. */
  async function createWorkspaces(name: string, count: number) {
    const created = [];
    for (let i = 0; i < count; i += 1)
      created.push(await createWorkspace(gateway.admin, { name: `${name} ${i}` }));
    return created;
  }

  it.each([
    ['/v1/campaigns', '/v1/campaigns'],
    ['/v1/assistant', '/v1/voice'],
  ])(
    'hundreds of slow bodies take no connections from reads: POST %s',
    async (path, read) => {
      const before = owner.uploads();
      const slow = await createWorkspaces('Slow', 13);
      // Each workspace has a share of the connections; together they use all of them, and all places in the queue.
      const keys = slow.flatMap(({ private_key }) => Array<string>(32).fill(private_key));
      const dripping = keys.map((key) => {
        const head = { authorization: `Bearer ${key}`, 'content-length': '1000' };
        const body = httpRequest(gateway.url + path, { method: 'POST', headers: head });
        body.on('error', () => {}).write('{');
        return body;
      });
      await eventually(() => expect(owner.uploads()).toBe(before + 128), { timeoutMs: 15_000 });
      expect((await request(gateway.url).get(read).set(headers())).status).toBe(200);
      for (const body of dripping) body.destroy();
    },
    30_000,
  );

  it('a service that hangs has a bounded queue of requests, and further ones fail at once', async () => {
    // A workspace's share is sixteen concurrent reads: this many workspaces use all connections and all places in the queue.
    const hanging = await createWorkspaces('Hanging', (128 + 256) / 16);
    const waiting = hanging
      .flatMap(({ private_key }) => Array<string>(16).fill(private_key))
      .map((key) => {
        const asking = httpRequest(`${gateway.url}/v1/voice?hang`, {
          headers: { authorization: `Bearer ${key}` },
        });
        asking.on('error', () => {}).end();
        return asking;
      });
    await eventually(async () => {
      const next = await request(gateway.url).get('/v1/voice?hang').set(headers()).timeout(1_000);
      expect(next.status).toBe(503);
    });
    for (const asking of waiting) asking.destroy();
  });
});
