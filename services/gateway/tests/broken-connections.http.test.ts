import { type ClientRequest, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { createWorkspace } from '../src/domain/workspaces/administer.ts';
import { bootGateway, fakeOwner, type Gateway } from './harness.ts';

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof fakeOwner>>;
let isBack = false;
let lines: { level: string; status?: number }[] = [];

beforeAll(async () => {
  // Takes every request and dies, or never answers, until it is back.
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
  await gateway.context.workspaces.set(gateway.workspace.workspace_id, limits);
});

afterAll(async () => {
  await gateway.stop();
  await owner.close();
});

beforeEach(() => {
  lines = [];
  owner.seen.length = 0;
});

const headers = () => ({ authorization: `Bearer ${gateway.workspace.private_key}` });

describe('a connection that breaks', () => {
  it('a client that goes away ends its request at the owner, and is nobody’s error', async () => {
    const asking: ClientRequest = httpRequest(`${gateway.url}/v1/voice?hang`, { headers: headers() });
    asking.on('error', () => {}).end();
    await eventually(() => expect(owner.seen).toHaveLength(1));
    asking.destroy();
    await eventually(() => expect(lines.map(({ status }) => status)).toContain(499));
    await new Promise(setImmediate);
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('a read is sent once more, what changes something never is', async () => {
    const read = await request(gateway.url).get('/v1/voice').set(headers());
    expect([read.status, owner.seen.length]).toEqual([503, 2]);
    owner.seen.length = 0;
    const id = '01a1f93d-8f38-70b8-933b-275ecd71b375';
    const verb = await request(gateway.url).post(`/v1/campaigns/${id}/resume`).set(headers());
    expect([verb.status, owner.seen.length]).toEqual([503, 1]);
  });

  it('an owner that is back serves reads while an upload to it goes on', async () => {
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

  it.each([
    ['/v1/campaigns', '/v1/campaigns'],
    ['/v1/assistant', '/v1/voice'],
  ])(
    'bodies that drip, were it hundreds, leave the connections of reads alone: POST %s',
    async (path, read) => {
      const before = owner.uploads();
      const names = Array.from({ length: 13 }, (_, at) => `Slow ${at}`);
      const slow = await Promise.all(names.map((name) => createWorkspace(gateway.admin, { name })));
      // Each workspace has a share of the connections: together they take them all, and all the room to wait for one.
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

  it('an owner that hangs gathers a bounded number of requests, and the next ones are told at once', async () => {
    const waiting = Array.from({ length: 128 + 256 }, () => {
      const asking = httpRequest(`${gateway.url}/v1/voice?hang`, { headers: headers() });
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
