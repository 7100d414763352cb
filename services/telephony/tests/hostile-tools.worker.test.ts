import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HostileEndpoint, hostileEndpoint } from '@parley/testkit/hostile';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, customTool, FAST, finished } from './place-call.ts';
import { type WorkerProcess, workerProcess } from './worker-process.ts';

const MEBIBYTE = 1024 * 1024;

describe('hostile tools: the call continues [tools.16] [tools.20] [webhooks.20]', () => {
  let harness: Harness;
  let endpoint: HostileEndpoint;
  let worker: WorkerProcess;

  beforeAll(async () => {
    endpoint = await hostileEndpoint();
    harness = await startHarness({ ...FAST, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', PROCESSES: 'api' });
    worker = await workerProcess(harness);
  });
  afterAll(async () => {
    await harness.close();
    await endpoint.close();
  });

  /** A completed call in which the assistant uses the tool. */
  const use = async (path: string) => {
    const tools = [
      customTool({ tool_name: 'lookup', endpoint_url: `${endpoint.url}${path}`, timeout_seconds: 5 }),
    ];
    const number = await connectNumber(harness, { agent: { tools } });
    const id = await callFrom(harness, number, anyNumber('0010'));
    const call = await finished(harness, number.workspaceId, id);
    const data = analyzed(harness, id)[0]?.data;
    return { path, call, turns: data?.transcript.filter(({ role }) => role === 'tool'), tools: data?.tools };
  };

  const bad: [string, Record<string, unknown>][] = [
    ['/hang', { status_code: null, error: 'The tool did not respond within 5 seconds' }],
    ['/trickle', { status_code: null, error: 'The tool did not respond within 5 seconds' }],
    ['/half', { status_code: null, error: 'The tool did not respond within 5 seconds' }],
    ['/redirect', { status_code: 302, error: expect.stringContaining('redirect') }],
    ['/redirect-inside', { status_code: 307, error: expect.stringContaining('redirect') }],
    ['/not-json', { status_code: 200, error: 'The tool did not respond with JSON' }],
    ['/reset', { status_code: null, error: expect.any(String) }],
  ];
  const good: [string, Record<string, unknown>][] = [
    [
      '/endless',
      { status_code: 200, result: expect.stringMatching(/^\["x+ \[cut after 15000 characters\]$/) },
    ],
    ['/10mb', { status_code: 200, result: expect.stringMatching(/^\["x+ \[cut after 15000 characters\]$/) }],
    ['/nested', { status_code: 200, result: expect.stringMatching(/^\[{7000}\]{7000}$/) }],
    ['/number', { status_code: 200, result: 42 }],
    ['/null', { status_code: 200, result: null }],
  ];

  it('hang, trickle, break off, redirect or return nonsense: a tool turn records it, and the human hangs up in the end', async () => {
    const expected = [
      ...bad.map(([path, turn]) => [path, { ...turn, result: null }] as const),
      ...good.map(([path, turn]) => [path, { ...turn, error: null }] as const),
    ];
    const beganMs = performance.now();
    const calls = await Promise.all(expected.map(([path]) => use(path)));
    // A tool's timeout is real time [running.1], while five seconds of stack time last an eighth of a second here.
    expect(performance.now() - beganMs).toBeGreaterThan(5_000);
    for (const [i, [path, turn]] of expected.entries()) {
      const { call, turns, tools } = calls[i] ?? {};
      expect({ path, reason: call?.disconnection_reason, turns }).toEqual({
        path,
        reason: 'user_hangup',
        turns: [expect.objectContaining({ tool_name: 'lookup', ...turn })],
      });
      expect(tools).toHaveLength(1);
    }
    // A request that may have arrived is not repeated, and redirects are not followed.
    for (const [path] of expected) expect(endpoint.asked(path)).toBe(1);
    expect(endpoint.asked('/valid')).toBe(0);
  });

  it('endless responses in large numbers cost less than 50 MB', async () => {
    await Promise.all(Array.from({ length: 20 }, () => use('/number')));
    const before = worker.residentBytes();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, worker.residentBytes());
    }, 10);
    try {
      const calls = await Promise.all(
        Array.from({ length: 20 }, (_, i) => use(i % 2 === 0 ? '/10mb' : '/endless')),
      );
      for (const { call, turns } of calls) {
        expect(call.disconnection_reason).toBe('user_hangup');
        expect(turns).toHaveLength(1);
      }
    } finally {
      clearInterval(watch);
    }
    expect((most - before) / MEBIBYTE).toBeLessThan(50);
  });
});
