import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NumberConnection } from '../src/carriers/call-control.ts';
import { createSimulator } from '../src/carriers/simulator/simulator.ts';
import { startWorker } from '../src/start-worker.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { callFrom, connectNumber, FAST, finished } from './place-call.ts';

describe('a platform without carriers [running.10]', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ ...FAST, PROCESSES: 'api' });
  });
  afterAll(() => harness.close());

  it('does not simulate in production: it refuses to place a call, and to import a number', async () => {
    const number = await connectNumber(harness);
    const { url, stop } = await harness.boot({ NODE_ENV: 'production', CLOCK_RATE: '1' });
    const body = { from_number: number.phoneNumber, to_number: anyNumber() };
    const placed = await harness.ask(number.workspaceId, 'POST', '/v2/call', { body, url });
    expect(placed).toMatchObject({ status: 502, body: { error: { code: 'CARRIER_ERROR' } } });
    expect(placed.text).toContain('No carrier is configured');
    const account = { telco_account_sid: `AC${'1'.repeat(32)}`, telco_auth_token: '1'.repeat(32) };
    const imported = await harness.ask(newWorkspace(), 'POST', '/v1/phone-number/telco', {
      body: { phone_number: anyNumber(), ...account },
      url,
    });
    expect(imported.status).toBe(502);
    await stop();
  });

  it('fails a queued dial, and reports why', async () => {
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('4242'));
    const worker = await harness.boot({ PROCESSES: 'worker', CARRIERS: 'none' });
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({ disconnection_reason: 'dial_failed', answered_at: null });
    const timeline = await harness.ask(number.workspaceId, 'GET', `/v2/call/${id}/timeline`);
    expect(timeline.body.data.find(({ type }: { type: string }) => type === 'ended')).toMatchObject({
      cause: 'no_carrier',
      provider_text: expect.stringContaining('No carrier is configured'),
      message: expect.stringContaining('No carrier is configured'),
    });
    const legs = await harness.sql.$queryRaw<
      unknown[]
    >`SELECT 1 FROM simulated_legs WHERE reference = ${id}::uuid`;
    expect(legs).toEqual([]);
    await worker.stop();
  });
});

describe('the carrier of a number', () => {
  let harness: Harness;
  const connections: NumberConnection[] = [];
  const requests: unknown[] = [];
  beforeAll(async () => {
    harness = await startHarness({ ...FAST, PROCESSES: 'api' });
    const { prisma: sql, clock, log, lifecycle } = harness.context;
    const simulator = createSimulator({ sql, clock, log });
    const carrier: typeof simulator = {
      ...simulator,
      originate: async (request) => {
        connections.push(await request.openConnection());
        requests.push(request);
        return simulator.originate(request);
      },
    };
    await startWorker(harness.context, lifecycle, { carrier });
  });
  afterAll(() => harness.close());

  it('is stored with the call, and gets everything required to dial: caller id, ring time, trunk and credentials', async () => {
    const number = await connectNumber(harness, { settings: { ringTimeout: 25 } });
    const to = anyNumber('4242');
    const id = await callFrom(harness, number, to);
    await finished(harness, number.workspaceId, id);
    expect(requests).toMatchObject([
      { reference: id, from: number.phoneNumber, to, ringTimeoutMs: 25_000, detectsMachine: true },
    ]);
    expect(connections).toEqual([
      { provider: 'hosted_sip', terminationUri: 'sip.example.com', transport: 'udp', credentials: null },
    ]);
    const stored = await harness.sql.$queryRaw<unknown[]>`SELECT carrier FROM calls WHERE id = ${id}::uuid`;
    expect(stored).toEqual([{ carrier: 'simulator' }]);
  });
});
