import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { SnapshotTool } from '@parley/contracts';
import type { OutboundResult } from '@parley/kit/outbound';
import { createArgumentCheck } from './check-arguments.ts';
import { MAX_RESULT_CHARACTERS, readOutcome } from './tool-outcome.ts';
import { buildToolRequest, type CustomInvocation } from './tool-request.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const tool: SnapshotTool = {
  id: 't',
  tool_name: 'check_order',
  is_native: false,
  description: null,
  endpoint_url: 'https://example.com/tool?v=1',
  http_method: 'POST',
  headers: {},
  webhook_secrets: [],
  parameters: null,
  timeout_seconds: 30,
  tool_behavior: 'blocking',
  result_scheduling: 'when_idle',
  native: null,
};

const invocation: CustomInvocation = {
  id: 'tool-call',
  at: new Date('2026-01-31T08:00:00.000Z'),
  tool,
  args: { id: 7 },
  call: {
    id: 'call',
    agentId: 'agent',
    callType: 'outbound',
    fromNumber: '+14155550100',
    toNumber: '+14155551234',
    dynamicVariables: { a: 1 },
  },
  spoken: [{ role: 'user', content: 'Hello', timestamp: '2026-01-31T08:00:00.000Z' }],
};

describe('buildToolRequest [tools.17] [tools.18]', () => {
  it('posts the envelope', () => {
    const { url, headers, body } = buildToolRequest(invocation);
    expect(url).toBe(tool.endpoint_url);
    expect(headers).toEqual({});
    expect(JSON.parse(body ?? '')).toEqual({
      event: 'tool_invoked',
      call_id: 'call',
      agent_id: 'agent',
      timestamp: '2026-01-31T08:00:00.000Z',
      payload: {
        tool_name: 'check_order',
        tool_call_id: 'tool-call',
        args: { id: 7 },
        call: {
          call_type: 'outbound',
          customer_number: '+14155551234',
          dynamic_variables: { a: 1 },
          transcript: '[2026-01-31T08:00:00.000Z] User: Hello',
          transcript_object: invocation.spoken,
        },
      },
    });
  });

  it('sends the number of the human as customer_number: the caller of an inbound call, null in a web call [web-calls.3]', () => {
    const numberIn = (call: Partial<CustomInvocation['call']>) => {
      const { body } = buildToolRequest({ ...invocation, call: { ...invocation.call, ...call } });
      return JSON.parse(body ?? '').payload.call.customer_number;
    };
    expect(numberIn({ callType: 'inbound' })).toBe('+14155550100');
    expect(numberIn({ callType: 'web', fromNumber: null, toNumber: null })).toBeNull();
  });

  it('puts the arguments of GET into the query string', () => {
    const args = { q: 'a b&c', list: ['x', 2], deep: { n: 1 }, none: null, ok: true };
    const request = buildToolRequest({ ...invocation, args, tool: { ...tool, http_method: 'GET' } });
    expect(request.url).toBe(
      'https://example.com/tool?v=1&q=a+b%26c&list=x&list=2&deep=%7B%22n%22%3A1%7D&ok=true',
    );
    expect(request.headers).toEqual({
      'x-call-id': 'call',
      'x-agent-id': 'agent',
      'x-tool-call-id': 'tool-call',
    });
    expect(request.body).toBeNull();
  });
});

describe('readOutcome [tools.16] [tools.20]', () => {
  const answer = (given: Partial<OutboundResult>): OutboundResult =>
    ({
      outcome: 'response',
      requestHeaders: {},
      status: 200,
      headers: {},
      body: '{}',
      bodyTruncated: false,
      bodyComplete: true,
      durationMs: 5,
      finalUrl: '',
      requestSent: true,
      ...given,
    }) as OutboundResult;

  it.each(['{"a":1}', '[1]', '"text"', '3', 'null', 'true'])('keeps any JSON: %s', (body) => {
    expect(readOutcome(answer({ body, status: 201 }), 30)).toEqual({
      statusCode: 201,
      result: JSON.parse(body),
      error: null,
      slow: false,
      documents: null,
    });
  });

  it('treats excessively nested results as text, because they cannot be serialized', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(readOutcome(answer({ body: nested(64) }), 30).result).toEqual(JSON.parse(nested(64)));
    expect(readOutcome(answer({ body: nested(7_000) }), 30)).toMatchObject({
      result: nested(7_000),
      error: null,
    });
  });

  it('truncates a long result with a mark', () => {
    const { result } = readOutcome(answer({ body: JSON.stringify('x'.repeat(20_000)) }), 30);
    expect(result).toHaveLength(MAX_RESULT_CHARACTERS + ' [cut after 15000 characters]'.length);
    expect(result).toMatch(/\[cut after 15000 characters\]$/);
  });

  it('reports the status of a refusal, and of a response that is not JSON', () => {
    expect(readOutcome(answer({ status: 500 }), 30)).toMatchObject({
      statusCode: 500,
      error: expect.stringContaining('500'),
    });
    expect(readOutcome(answer({ body: '<p>' }), 30)).toMatchObject({
      statusCode: 200,
      error: expect.stringContaining('JSON'),
    });
    expect(readOutcome(answer({ body: '' }), 30).error).not.toBeNull();
  });

  it('has no status without a response', () => {
    const timeout = answer({ outcome: 'timeout', error: 'late', status: 0 });
    expect(readOutcome(timeout, 5)).toMatchObject({
      statusCode: null,
      error: expect.stringContaining('5 seconds'),
    });
  });

  it('marks a response that took more than ten seconds', () => {
    expect(readOutcome(answer({ durationMs: 10_001 }), 30).slow).toBe(true);
    expect(readOutcome(answer({ durationMs: 10_000 }), 30).slow).toBe(false);
  });
});

describe('checkArguments', () => {
  const check = createArgumentCheck();
  const checkArguments = (parameters: Record<string, unknown> | null, args: Record<string, unknown>) =>
    check('workspace', parameters, args);
  const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  it('validates arguments against the schema [tools.10]', () => {
    expect(checkArguments(parameters, { n: 1 })).toBeNull();
    expect(checkArguments(parameters, {})).toContain("required property 'n'");
    expect(checkArguments(parameters, { n: 'x' })).toContain('integer');
  });

  it('ignores $schema and $id, even if two schemas share an $id', () => {
    for (const type of ['integer', 'string']) {
      const named = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/n' };
      const checked = { ...named, properties: { n: { type } } };
      expect(checkArguments(checked, { n: type === 'string' ? 'x' : 1 })).toBeNull();
      expect(checkArguments(checked, { n: type === 'string' ? 1 : 'x' })).toContain(type);
    }
  });

  it('refuses arguments that a pattern cannot check in time', () => {
    const slow = { properties: { n: { type: 'string', pattern: '^(a+)+$' } } };
    const beganMs = performance.now();
    expect(checkArguments(slow, { n: `${'a'.repeat(50)}b` })).toContain('could not be checked');
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    expect(checkArguments(slow, { n: 'b' })).toContain('pattern');
  });

  it('limits the CPU time per workspace and refuses arguments beyond it', () => {
    let now = 0;
    const costly = { properties: { n: { type: 'string', pattern: '^(a+)+$' } } };
    // Each check costs 25 ms of this clock.
    const tick = () => {
      now += 25;
      return now;
    };
    const timed = createArgumentCheck(tick, tick);
    const misfit = { n: 'b' };
    const uses = Array.from({ length: 100 }, () => timed('hostile', costly, misfit));
    expect(uses.every((error) => error !== null)).toBe(true);
    const checked = uses.filter((error) => error?.includes('pattern "')).length;
    expect(checked).toBeGreaterThan(5);
    expect(checked).toBeLessThan(40);
    expect(timed('other', costly, misfit)).toContain('pattern');
    now += 60_000;
    expect(timed('hostile', costly, misfit)).toContain('pattern');
  });

  it('includes the cost of compiling', () => {
    let used = 0;
    const costly = {
      get properties() {
        used += 1_000;
        return { n: { type: 'integer' } };
      },
    };
    const timed = createArgumentCheck(
      () => 0,
      () => used,
    );
    expect(timed('hostile', costly, { n: 1 })).toBeNull();
    expect(timed('hostile', costly, { n: 1 })).toContain('could not be checked');
    expect(timed('other', costly, { n: 1 })).toBeNull();
  });

  it('caches no unused schemas', () => {
    const memory = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const use = (i: number) => {
      const properties = Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => [`p${i}_${n}`, { type: 'number' }]),
      );
      check(`workspace ${i}`, { properties }, {});
    };
    for (let i = 0; i < 200; i += 1) use(i);
    const before = memory();
    for (let i = 200; i < 600; i += 1) use(i);
    expect(memory() - before).toBeLessThan(5 * 1024 * 1024);
  });

  it('refuses arguments on which the validator fails [trust.1]', () => {
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n += 1) deep = [deep];
    let other: unknown = 1;
    for (let n = 0; n < 100_000; n += 1) other = [other];
    const parameters = { properties: { a: { type: 'array', uniqueItems: true } } };
    expect(checkArguments(parameters, { a: [1, 2] })).toBeNull();
    expect(checkArguments(parameters, { a: [deep, other] })).toBe(
      'The arguments do not fit the tool: they could not be checked against its schema',
    );
  });

  it('accepts anything without a schema, and nothing with one that does not compile [tools.10]', () => {
    expect(checkArguments(null, { a: 1 })).toBeNull();
    expect(checkArguments({ type: 'nonsense' }, { a: 1 })).toContain('could not be checked');
  });
});
