import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bootGateway, type Gateway } from './harness.ts';

const answerAtOnce = (req: IncomingMessage, res: ServerResponse): void => {
  req.resume().on('end', () => res.end('{"success":true}'));
};

/** A service that can be killed and comes back at the same port. */
async function startOwner(port = 0): Promise<{ port: number; kill(): Promise<void> }> {
  const server: Server = createServer(answerAtOnce);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const kill = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, kill };
}

let gateway: Gateway;
let owner: Awaited<ReturnType<typeof startOwner>>;

beforeAll(async () => {
  owner = await startOwner();
  gateway = await bootGateway({
    CAMPAIGNS_URL: `http://127.0.0.1:${owner.port}`,
  });
  const limits = { requestsPerMinute: 600_000, requestBurst: 100_000 };
  await gateway.context.workspaces.set(gateway.workspace.workspace_id, limits, { kind: 'operator' });
});

afterAll(async () => {
  await gateway.stop();
  await owner.kill();
});

type Outcome = { status: number; atMs: number; tookMs: number };

/** Sends about 50 requests a second, half of them changes, until it is stopped. */
function keepAsking(): { outcomes: Outcome[]; stop(): Promise<void> } {
  const outcomes: Outcome[] = [];
  const asked: Promise<void>[] = [];
  let stopped = false;
  const ask = async (method: string): Promise<void> => {
    const startedAt = performance.now();
    const id = '0197a000-0000-7000-8000-000000000000';
    const path = method === 'GET' ? '/v1/campaigns' : `/v1/campaigns/${id}/pause`;
    const headers = { authorization: `Bearer ${gateway.workspace.private_key}` };
    const answer = await fetch(gateway.url + path, { method, headers });
    await answer.arrayBuffer();
    const now = performance.now();
    outcomes.push({ status: answer.status, atMs: now, tookMs: now - startedAt });
  };
  const loop = (async () => {
    for (let i = 0; !stopped; i++) {
      asked.push(ask(i % 2 ? 'GET' : 'POST'));
      await sleep(20);
    }
  })();
  const stop = async () => {
    stopped = true;
    await loop;
    await Promise.all(asked);
  };
  return { outcomes, stop };
}

describe('a dead service', () => {
  it('is a 503 within a second, is back within 5 s of its return, and no request hangs', async () => {
    const { outcomes, stop } = keepAsking();
    await sleep(300);
    await owner.kill();
    await sleep(1_800);
    owner = await startOwner(owner.port);
    const backAt = performance.now();
    await sleep(2_500);
    await stop();
    const later = outcomes.filter(({ atMs }) => atMs > backAt);
    const lastRefused = Math.max(backAt, ...later.filter(({ status }) => status !== 200).map((o) => o.atMs));
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200, 503]));
    // Well within the five seconds: the test watches half of them.
    expect(lastRefused - backAt).toBeLessThan(2_400);
    const took = outcomes.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    // On a busy machine a few are late, but none hangs.
    expect(took[Math.floor(took.length * 0.9)]).toBeLessThan(1_000);
    expect(took.at(-1)).toBeLessThan(5_000);
  });
});
