import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { rebuildNumberLinks } from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { createApp, listen, mount } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { databaseUrl, internalKeys, internalTokens } from '@parley/testkit';
import { runCli } from '../src/cli/run-cli.ts';
import { cliConfigSchema } from '../src/config.ts';

const SECRET = 'internal-token-secret-of-the-tests';
const NOBODY = 'http://127.0.0.1:9';
const NEXT = '0197a000-0000-7000-8000-000000000000';

const log = createLogger({ service: 'test', level: 'silent' });
const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
const asked: { after: string | null; actor: unknown }[] = [];
let url = '';

beforeAll(async () => {
  const app = createApp({
    service: 'assistants',
    log,
    metrics: createMetrics('assistants'),
    internalTokens: internalTokens(SECRET, 'assistants'),
    readiness: async () => {},
  });
  mount(app, rebuildNumberLinks, ({ body: { after }, auth: { actor } }) => {
    asked.push({ after, actor });
    return after === null ? { taken: 2, removed: 1, next: NEXT } : { taken: 1, removed: 0, next: null };
  });
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => lifecycle.stop('test'));

async function rebuildNumbers(assistantsUrl: string) {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
  ];
  const code = await runCli(['node', 'parley', 'assistant', 'rebuild-numbers'], () =>
    parseConfig(cliConfigSchema, {
      DATABASE_URL: databaseUrl(),
      KEY_PEPPER: 'pepper-of-the-tests-pepper-of-the-tests',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      ...internalKeys(SECRET, 'gateway'),
      GATEWAY_INTERNAL_URL: NOBODY,
      ASSISTANTS_URL: assistantsUrl,
      TELEPHONY_URL: NOBODY,
      CAMPAIGNS_URL: NOBODY,
      WEBHOOKS_URL: NOBODY,
    }),
  );
  for (const spy of spies) spy.mockRestore();
  return { code, out: out.join(''), err: err.join('') };
}

describe('parley assistant rebuild-numbers', () => {
  it('walks to the end and prints its result in one line', async () => {
    expect(await rebuildNumbers(url)).toEqual({ code: 0, out: '{"taken":3,"removed":1}\n', err: '' });
    const actor = { kind: 'operator', id: userInfo().username };
    expect(asked).toEqual([
      { after: null, actor },
      { after: NEXT, actor },
    ]);
  });

  it('prints a sentence and exits non-zero when assistants is unavailable', async () => {
    const { code, out, err } = await rebuildNumbers(NOBODY);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^\S.+\n$/);
  });
});
