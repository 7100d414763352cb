import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getSipTrace, SERVICES, type SipMessage } from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { createApp, listen, mount } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { internalKeys, internalTokens, type TestDatabase, testDatabase } from '@parley/testkit';
import { runCli } from '../src/cli/run-cli.ts';
import { cliConfigSchema } from '../src/config.ts';
import { INTERNAL_SECRET } from './harness.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
const callId = randomUUID();
const messages: SipMessage[] = [
  {
    at: '2026-11-26T12:00:00.000000+00:00',
    direction: 'sent',
    transport: 'tls',
    local: '127.0.0.1:40000',
    remote: '203.0.113.5:5061',
    message: 'OPTIONS sip:a SIP/2.0\r\nVia: x\r\n\r\n',
  },
];
let database: TestDatabase;
let url = '';

beforeAll(async () => {
  database = await testDatabase('gateway');
  const app = createApp({
    service: 'telephony',
    log,
    metrics: createMetrics('telephony'),
    internalTokens: internalTokens(INTERNAL_SECRET, 'telephony'),
    readiness: async () => {},
  });
  mount(app, getSipTrace, ({ params }) => (params.id === callId ? messages : []));
  url = `http://127.0.0.1:${(await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle)).port}`;
});
afterAll(async () => {
  await lifecycle.stop('test');
  await database.drop();
});

async function parley(...args: string[]) {
  const out: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  const urls = Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_URL`, url]));
  const env = {
    ...urls,
    ...internalKeys(INTERNAL_SECRET, 'gateway'),
    DATABASE_URL: database.url,
    GATEWAY_INTERNAL_URL: url,
    KEY_PEPPER: 'k'.repeat(32),
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    PUBLIC_URL: 'http://127.0.0.1',
  };
  try {
    const code = await runCli(['node', 'parley', ...args], () => parseConfig(cliConfigSchema, env));
    return { code, out: out.join('') };
  } finally {
    spy.mockRestore();
  }
}

describe('parley sip trace [sip.38]', () => {
  it('draws the ladder of a call, with the messages if they are wanted', async () => {
    const { code, out } = await parley('sip', 'trace', '--call', callId);
    expect(code).toBe(0);
    expect(out).toMatch(/^ +0\.000 {4}│─ OPTIONS ─+▶│$/m);
    const long = await parley('sip', 'trace', '--call', callId, '--messages');
    expect(long.out).toContain('127.0.0.1:40000 → 203.0.113.5:5061\nOPTIONS sip:a SIP/2.0\nVia: x\n');
  });

  it('prints JSON for programs, and a sentence for a call without SIP', async () => {
    expect(JSON.parse((await parley('sip', 'trace', '--call', callId, '--json')).out)).toEqual(messages);
    const none = await parley('sip', 'trace', '--call', randomUUID());
    expect([none.code, none.out]).toEqual([0, expect.stringContaining('No SIP message')]);
  });
});
