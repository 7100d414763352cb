import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseConfig } from '@parley/kit/config';
import { internalKeys, type TestDatabase, testDatabase } from '@parley/testkit';
import { runCli } from '../src/cli/run-cli.ts';
import { cliConfigSchema } from '../src/config.ts';
import { keyTypeOf } from '../src/keys/key-format.ts';

let database: TestDatabase;
/** What `npm run parley` runs. */
const PARLEY = 'packages/devstack/src/commands/parley.ts';

beforeAll(async () => {
  database = await testDatabase('gateway');
});
afterAll(() => database.drop());

const parley = (...args: string[]) => parleyAt(database.url, ...args);

async function parleyAt(databaseUrl: string, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
  ];
  const code = await runCli(['node', 'parley', ...args], () =>
    parseConfig(cliConfigSchema, {
      DATABASE_URL: databaseUrl,
      KEY_PEPPER: 'pepper-of-the-tests-pepper-of-the-tests',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      ...internalKeys('internal-token-secret-of-the-tests', 'gateway'),
      GATEWAY_INTERNAL_URL: 'http://127.0.0.1:9',
      ASSISTANTS_URL: 'http://127.0.0.1:9',
      TELEPHONY_URL: 'http://127.0.0.1:9',
      CAMPAIGNS_URL: 'http://127.0.0.1:9',
      WEBHOOKS_URL: 'http://127.0.0.1:9',
    }),
  );
  for (const spy of spies) spy.mockRestore();
  return { code, out: out.join(''), err: err.join('') };
}

const json = (line: string) => JSON.parse(line);

async function newWorkspace(): Promise<string> {
  return json((await parley('workspace', 'create', '--name', 'Acme')).out).workspace_id;
}

describe("the operator's command [access.8]", () => {
  it('says why the database cannot be reached', async () => {
    const { code, err } = await parleyAt(
      'postgresql://127.0.0.1:9/none',
      'workspace',
      'create',
      '--name',
      'Acme',
    );
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be reached \(DatabaseNotReachable\)\. Is Parley running\?/);
  });

  it('workspace create prints one JSON line and nothing else on stdout [access.7]', async () => {
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

  it('key create and key set with settings [trust.10]', async () => {
    const workspace = await newWorkspace();
    const create = async (type: string, ...more: string[]) =>
      parley('key', 'create', '--workspace', workspace, '--type', type, ...more);
    const origins = ['--allowed-origins', 'https://shop.example.com, https://*.example.org'];
    const made = json((await create('public', ...origins, '--max-live-calls', '3', '--variables', '')).out);
    expect(made).toMatchObject({
      key: expect.stringMatching(/^svc_pub_/),
      allowed_origins: ['https://shop.example.com', 'https://*.example.org'],
      max_live_calls: 3,
      variables: [],
      calls_per_minute: 60,
      agent_ids: null,
    });
    const set = await parley(
      'key',
      'set',
      '--id',
      made.id,
      '--allowed-origins',
      'any',
      '--max-live-calls',
      'default',
    );
    expect(json(set.out)).toMatchObject({ allowed_origins: null, max_live_calls: 10, variables: [] });
    expect(set.out).not.toContain(made.key);
    const limited = json(
      (await create('private', '--read-only', '--allowed-networks', '10.0.0.0/8,2001:db8::/32')).out,
    );
    expect(limited).toMatchObject({ read_only: true, allowed_networks: ['10.0.0.0/8', '2001:db8::/32'] });
    expect(json((await parley('key', 'set', '--id', limited.id, '--read-only', 'off')).out).read_only).toBe(
      false,
    );
    for (const [bad, words] of [
      [['private', '--max-live-calls', '3'], 'max_live_calls is not a setting of a private key'],
      [['public', '--allowed-origins', 'shop.example.com'], 'must be an origin'],
      ...['10.0.0.0/40', '::1/129'].map(
        (bad) =>
          [
            ['private', '--allowed-networks', bad],
            'allowed_networks.0 must be an IP address or a network in CIDR notation',
          ] as const,
      ),
    ] as const) {
      const { code, err } = await create(bad[0], ...bad.slice(1));
      expect([code, err]).toEqual([1, expect.stringContaining(words)]);
    }
  });

  it.each(['dashboard', 'member'])(
    '%s link prints a link of a member, or of a new one with --create [dashboard.4]',
    async (of) => {
      const link = [of, 'link', '--workspace', await newWorkspace(), '--email', 'Owner@Example.org'];
      expect(await parley(...link)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('not found'),
      });
      for (const more of [['--create', 'owner'], []]) {
        const { code, out } = await parley(...link, ...more);
        expect([code, json(out)]).toEqual([
          0,
          {
            workspace_id: link[3],
            email: 'owner@example.org',
            sign_in_url: expect.stringMatching(/\/dashboard\/sign-in\/link#[\w-]{43}$/),
            expires_at: expect.stringMatching(/Z$/),
          },
        ]);
      }
      const nowhere = ['--workspace', '0197a000-0000-7000-8000-000000000000', '--create', 'owner'];
      expect((await parley(...link.slice(0, 2), ...nowhere, ...link.slice(4))).err).toContain('Workspace');
    },
  );

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

  it('workspace set: each rate limit, and back to the default [general.19]', async () => {
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

  it('workspace set: destinations and daily spend limit, and clearing them [trust.22]', async () => {
    const workspace = await newWorkspace();
    const set = async (...settings: string[]) =>
      json((await parley('workspace', 'set', '--workspace', workspace, ...settings)).out);
    expect(await set('--allowed-destinations', '+49,+43', '--daily-spend-limit-cents', '500')).toMatchObject({
      allowed_destinations: ['+49', '+43'],
      daily_spend_limit_cents: 500,
    });
    expect(await set('--daily-spend-limit-cents', 'none')).toMatchObject({
      allowed_destinations: ['+49', '+43'],
      daily_spend_limit_cents: null,
    });
    expect(await set('--allowed-destinations', 'any')).toMatchObject({ allowed_destinations: [] });
  });

  it('workspace suspend, resume, show and list [trust.24] [access.14]', async () => {
    const workspace = await newWorkspace();
    const ask = async (verb: string) => json((await parley('workspace', verb, '--workspace', workspace)).out);
    expect(await ask('show')).toMatchObject({
      workspace_id: workspace,
      suspended_at: null,
      max_live_calls: 20,
    });
    const { suspended_at } = await ask('suspend');
    expect(suspended_at).toEqual(expect.any(String));
    expect(await ask('suspend')).toMatchObject({ suspended_at });
    const listed = json((await parley('workspace', 'list')).out);
    expect(listed).toContainEqual(expect.objectContaining({ workspace_id: workspace, suspended_at }));
    expect(await ask('resume')).toMatchObject({ suspended_at: null });
  });

  it.each([
    [['workspace', 'create']],
    [['workspace', 'suspend', '--workspace', '0197a000-0000-7000-8000-000000000000']],
    [
      [
        'workspace',
        'set',
        '--workspace',
        '0197a000-0000-7000-8000-000000000000',
        '--allowed-destinations',
        '49',
      ],
    ],
    [['member', 'reset-password', '--email', 'nobody@example.org']],
    [['member', 'add', '--workspace', '0197a000-0000-7000-8000-000000000000', '--email', 'a@b.c']],
    [['key', 'create', '--workspace', 'x', '--type', 'private']],
    [['key', 'create', '--workspace', '0197a000-0000-7000-8000-000000000000', '--type', 'private']],
    [['key', 'revoke', '--id', '0197a000-0000-7000-8000-000000000000']],
    [['workspace', 'set', '--workspace', '0197a000-0000-7000-8000-000000000000', '--rate-cents', '-1']],
    [['number', 'activate', '--id', '0197a000-0000-7000-8000-000000000000']],
    [['nonsense']],
  ])('errors are sentences on stderr and a non-zero exit code: %j', async (args) => {
    const { code, out, err } = await parley(...args);
    expect(code).not.toBe(0);
    expect(out).toBe('');
    expect(err.trim().length).toBeGreaterThan(10);
  });

  it('answers --help in a folder without a build or a started stack', async () => {
    const args = ['--import', 'tsx', '--conditions=source', PARLEY, 'key', 'create', '--help'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toContain('Usage: parley key create');
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
