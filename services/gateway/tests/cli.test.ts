import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseConfig } from '@parley/kit/config';
import { type TestDatabase, testDatabase } from '@parley/testkit';
import { cliConfigSchema } from '../src/cli/cli-config.ts';
import { runCli } from '../src/cli/run-cli.ts';
import { keyTypeOf } from '../src/domain/keys/key-format.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase('gateway');
});
afterAll(() => database.drop());

async function parley(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
  ];
  const code = await runCli(['node', 'parley', ...args], () =>
    parseConfig(cliConfigSchema, {
      DATABASE_URL: database.url,
      KEY_PEPPER: 'pepper-of-the-tests-pepper-of-the-tests',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      INTERNAL_TOKEN_SECRET: 'internal-token-secret-of-the-tests',
      GATEWAY_INTERNAL_URL: 'http://127.0.0.1:9',
      ASSISTANTS_URL: 'http://127.0.0.1:9',
      TELEPHONY_URL: 'http://127.0.0.1:9',
    }),
  );
  for (const spy of spies) spy.mockRestore();
  return { code, out: out.join(''), err: err.join('') };
}

const json = (line: string) => JSON.parse(line);

async function newWorkspace(): Promise<string> {
  return json((await parley('workspace', 'create', '--name', 'Acme')).out).workspace_id;
}

describe("the operator's command (D2.4)", () => {
  it('workspace create prints one JSON line and nothing else on stdout', async () => {
    const { code, out, err } = await parley('workspace', 'create', '--name', 'Acme');
    expect([code, err, out.split('\n').length]).toEqual([0, '', 2]);
    const made = json(out);
    expect(Object.keys(made)).toEqual([
      'workspace_id',
      'name',
      'private_key',
      'public_key',
      'webhook_secret',
    ]);
    expect([keyTypeOf(made.private_key), keyTypeOf(made.public_key)]).toEqual(['private', 'public']);
    expect(made.webhook_secret).toMatch(/^whsec_/);
  });

  it('key create, list and revoke', async () => {
    const workspace = await newWorkspace();
    const expiry = '2099-01-01T00:00:00+01:00';
    const made = json(
      (
        await parley(
          'key',
          'create',
          '--workspace',
          workspace,
          '--type',
          'private',
          '--name',
          'CI',
          '--expires-at',
          expiry,
        )
      ).out,
    );
    expect(keyTypeOf(made.key)).toBe('private');
    expect(json((await parley('key', 'revoke', '--id', made.id)).out)).toMatchObject({
      id: made.id,
      is_active: false,
      revoked_by: 'operator',
    });
    const listed = await parley('key', 'list', '--workspace', workspace);
    expect(json(listed.out)).toHaveLength(3);
    expect(json(listed.out)).toContainEqual(
      expect.objectContaining({
        id: made.id,
        name: 'CI',
        is_active: false,
        expires_at: '2098-12-31T23:00:00.000Z',
      }),
    );
    expect(listed.out).not.toContain(made.key);
  });

  it('workspace set, member add, webhook-secret rotate', async () => {
    const workspace = await newWorkspace();
    const set = await parley(
      'workspace',
      'set',
      '--workspace',
      workspace,
      '--rate-cents',
      '7',
      '--max-live-calls',
      '3',
    );
    expect(json(set.out)).toMatchObject({ rate_cents: 7, max_live_calls: 3, requests_per_minute: 600 });
    const member = await parley(
      'member',
      'add',
      '--workspace',
      workspace,
      '--email',
      'Ada@Example.org',
      '--role',
      'viewer',
    );
    expect(json(member.out)).toMatchObject({
      workspace_id: workspace,
      email: 'ada@example.org',
      role: 'viewer',
      status: 'invited',
      invitation_token: expect.stringMatching(/^[\w-]{43}$/),
      invitation_url: expect.stringContaining('/dashboard/invitation#'),
    });
    const rotated = json((await parley('webhook-secret', 'rotate', '--workspace', workspace)).out);
    expect(rotated).toMatchObject({
      webhook_secret: expect.stringMatching(/^whsec_/),
      old_secret_expires_at: expect.any(String),
    });
  });

  it('workspace set: each limit of D1.6, and back to what holds for all', async () => {
    const workspace = await newWorkspace();
    const set = async (...settings: string[]) =>
      json((await parley('workspace', 'set', '--workspace', workspace, ...settings)).out);
    const own = ['--request-burst', '7', '--calls-per-second', '2', '--call-burst', '3'];
    expect(await set(...own, '--requests-per-minute', '60')).toMatchObject({
      requests_per_minute: 60,
      request_burst: 7,
      calls_per_second: 2,
      call_burst: 3,
      max_live_calls: 20,
    });
    expect(await set('--request-burst', 'default')).toMatchObject({ request_burst: null, call_burst: 3 });
  });

  it.each([
    [['workspace', 'create']],
    [['member', 'reset-password', '--email', 'nobody@example.org']],
    [['member', 'add', '--workspace', '0197a000-0000-7000-8000-000000000000', '--email', 'a@b.c']],
    [['key', 'create', '--workspace', 'x', '--type', 'private']],
    [['key', 'create', '--workspace', '0197a000-0000-7000-8000-000000000000', '--type', 'private']],
    [['key', 'revoke', '--id', '0197a000-0000-7000-8000-000000000000']],
    [['workspace', 'set', '--workspace', '0197a000-0000-7000-8000-000000000000', '--rate-cents', '-1']],
    [['number', 'activate', '--id', '0197a000-0000-7000-8000-000000000000']],
    [['nonsense']],
  ])('what goes wrong is said on stderr in words, and told by the exit code: %j', async (args) => {
    const { code, out, err } = await parley(...args);
    expect(code).not.toBe(0);
    expect(out).toBe('');
    expect(err.trim().length).toBeGreaterThan(10);
  });

  it('each answers --help', async () => {
    for (const args of [
      [],
      ['workspace', 'create'],
      ['key', 'list'],
      ['number', 'deactivate'],
      ['webhook-secret', 'rotate'],
    ]) {
      const { code, out } = await parley(...args, '--help');
      expect([code, out.startsWith('Usage: parley')]).toEqual([0, true]);
    }
  });
});
