import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getCall, resendCallWebhooks } from '@parley/contracts';
import { createInternalTokens, type RequestContext } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { forward } from '../src/forward/forward.ts';
import { createUpstream, type UpstreamRequest } from '../src/forward/upstream.ts';
import { fakeOwner, INTERNAL_SECRET } from './harness.ts';

const lifecycle = createLifecycle(createLogger({ service: 'gateway', level: 'silent' }), {
  deadlineMs: 5_000,
});
let owner: Awaited<ReturnType<typeof fakeOwner>>;

beforeAll(async () => {
  owner = await fakeOwner(async (_req, res) => {
    await sleep(2_500);
    res.end('late');
  });
});
afterAll(async () => {
  await owner.close();
  await lifecycle.stop('test');
});

describe('an owner that takes long to answer', () => {
  const ask = (patienceMs: number) => {
    const request: UpstreamRequest = {
      method: 'POST',
      path: '/',
      headers: {},
      body: null,
      arriving: false,
      isLong: false,
      from: 'a workspace',
      patienceMs,
      to: new ServerResponse(new IncomingMessage(new Socket())),
    };
    return createUpstream('webhooks', owner.url, { lifecycle, metrics: createMetrics('gateway') }).request(
      request,
    );
  };

  it('is waited for as long as its endpoint says, and is 503 SERVICE_UNAVAILABLE after that', async () => {
    const [impatient, patient] = await Promise.allSettled([ask(500), ask(25_000)]);
    expect(impatient).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
    expect(patient).toMatchObject({ status: 'fulfilled', value: { statusCode: 200 } });
    if (patient.status === 'fulfilled') await patient.value.finished;
  });

  it.each([
    [resendCallWebhooks, 75_000],
    [getCall, undefined],
  ] as const)('$id', async (endpoint, patienceMs) => {
    let asked: UpstreamRequest | undefined;
    const upstream = {
      request: async (request: UpstreamRequest) => {
        asked = request;
        request.to.end('{}');
        return { statusCode: 200, finished: Promise.resolve() };
      },
    };
    const door = createServer((req, res) => {
      const context = { requestId: 'r' } as RequestContext;
      const deps = { upstream, internalTokens: createInternalTokens(INTERNAL_SECRET) };
      void forward(deps, endpoint, { req, res, segments: [], context, auth: null });
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    await fetch(`http://127.0.0.1:${(door.address() as AddressInfo).port}`);
    door.closeAllConnections();
    await new Promise((resolve) => door.close(resolve));
    expect(asked?.patienceMs).toBe(patienceMs);
  });
});
