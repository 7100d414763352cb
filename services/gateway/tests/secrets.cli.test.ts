import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  countSecretsOf,
  type ReencryptedBatch,
  reencryptSecretsOf,
  type ServiceWithSecrets,
} from '@parley/contracts';
import { parseConfig } from '@parley/kit/config';
import { createApp, listen, mount, NO_WORKSPACE } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { createSecretBox } from '@parley/kit/secrets';
import { eventually, internalKeys, internalTokens } from '@parley/testkit';
import { runCli } from '../src/cli/run-cli.ts';
import { cliConfigSchema } from '../src/config.ts';
import { createWorkspace, rotateWebhookSecret } from '../src/workspaces/administer.ts';
import { createWorkspaceStore, signingSecrets } from '../src/workspaces/workspaces.store.ts';
import { bootGateway, bootReplica, type Gateway, INTERNAL_SECRET } from './harness.ts';

const [K1, K2] = ['k1', 'k2'].map((id, n) => `${id}:${Buffer.alloc(32, n + 1).toString('base64')}`);
const log = createLogger({ service: 'test', level: 'silent' });
const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });

/** Fakes of assistants and telephony: each request returns the next of these batches. */
const batches: ReencryptedBatch[] = [];
let left = 0;
const cursors: (string | null)[] = [];
const empty: ReencryptedBatch = { key_id: 'k2', reencrypted: 0, missed: 0, failed: [], next_cursor: null };

let gateway: Gateway;
const urls = new Map<ServiceWithSecrets, string>();

beforeAll(async () => {
  gateway = await bootGateway({ ENCRYPTION_KEYS: `${K2},${K1}` });
  for (const name of ['assistants', 'telephony'] as const) {
    const metrics = createMetrics(name);
    const app = createApp({
      service: name,
      log,
      metrics,
      internalTokens: internalTokens(INTERNAL_SECRET, name),
      readiness: async () => {},
    });
    mount(app, reencryptSecretsOf(name), ({ body }) => {
      if (name === 'telephony') return empty;
      cursors.push(body.cursor);
      return batches.shift() ?? empty;
    });
    mount(app, countSecretsOf(name), () => [
      { table: 'things', column: 'secret', key_id: 'k2', count: 7, is_current: true },
      ...(name === 'assistants' && left > 0
        ? [{ table: 'things', column: 'secret', key_id: 'k1', count: left, is_current: false }]
        : []),
    ]);
    const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
    urls.set(name, `http://127.0.0.1:${port}`);
  }
});
afterAll(async () => {
  await lifecycle.stop('test');
  await gateway.stop();
});
beforeEach(() => {
  batches.length = 0;
  cursors.length = 0;
  left = 0;
});

async function parley(args: string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
  ];
  const code = await runCli(['node', 'parley', ...args], () =>
    parseConfig(cliConfigSchema, {
      DATABASE_URL: gateway.database.url,
      KEY_PEPPER: 'pepper-of-the-tests-pepper-of-the-tests',
      ENCRYPTION_KEYS: String(K2),
      ...internalKeys(INTERNAL_SECRET, 'gateway'),
      GATEWAY_INTERNAL_URL: gateway.internalUrl,
      ASSISTANTS_URL: urls.get('assistants'),
      TELEPHONY_URL: urls.get('telephony'),
      CAMPAIGNS_URL: gateway.internalUrl,
      WEBHOOKS_URL: gateway.internalUrl,
      ...env,
    }),
  );
  for (const spy of spies) spy.mockRestore();
  return { code, out: out.join(''), err: err.join('') };
}

/** Creates a workspace with the keys from before the rotation. */
async function sealWithTheOldKey(): Promise<string[]> {
  const { prisma, clock } = gateway.context;
  const box = createSecretBox([{ id: 'k1', key: Buffer.alloc(32, 1) }]);
  const store = createWorkspaceStore({ prisma, box, pepper: 'a pepper', clock });
  const { workspace_id, webhook_secret } = await createWorkspace({ store, clock }, { name: 'Old' });
  const rotated = await rotateWebhookSecret({ store, clock }, workspace_id);
  return [workspace_id, rotated.webhook_secret, webhook_secret];
}

describe('parley secrets reencrypt', () => {
  it('lets every service with secrets rewrap its own, and prints one JSON line', async () => {
    const [workspaceId = '', ...secrets] = await sealWithTheOldKey();
    batches.push({ ...empty, reencrypted: 500, next_cursor: '0:x' }, { ...empty, reencrypted: 20 });
    const { code, out, err } = await parley(['secrets', 'reencrypt']);
    expect([code, out.split('\n').length]).toEqual([0, 2]);
    expect(JSON.parse(out)).toEqual({
      reencrypted: 522,
      remaining: 0,
      failed: 0,
      services: {
        // The current secret, and the old one that still signs.
        gateway: { key_id: 'k2', reencrypted: 2, remaining: 0, failed: 0 },
        assistants: { key_id: 'k2', reencrypted: 520, remaining: 0, failed: 0 },
        telephony: { key_id: 'k2', reencrypted: 0, remaining: 0, failed: 0 },
      },
    });
    // If it takes more than a second on a busy machine, the progress is printed too.
    expect(err.split('\n').filter((line) => !line.endsWith(' so far'))).toEqual([
      'gateway: 2 secrets moved to key k2',
      'assistants: 520 secrets moved to key k2',
      'telephony: 0 secrets moved to key k2',
      '',
    ]);
    expect(cursors).toEqual([null, '0:x']);
    // The webhook secrets are unchanged, and the old key can be removed.
    const found = await gateway.context.workspaces.find(workspaceId);
    expect(found && signingSecrets(found, gateway.context.clock)).toEqual(secrets);
    expect((await gateway.context.reencryption.count()).every(({ is_current }) => is_current)).toBe(true);
    const [entry] = await gateway.context.prisma.auditLogEntry.findMany({
      where: { action: 'secrets.reencrypted' },
    });
    expect(entry).toMatchObject({ workspaceId: NO_WORKSPACE, actorKind: 'operator' });
    expect(entry?.changes).toEqual({ reencrypted: 522, remaining: 0, failed: 0 });
    const again = JSON.parse((await parley(['secrets', 'reencrypt'])).out);
    expect(again).toMatchObject({ reencrypted: 0, remaining: 0 });
  });

  it('makes another pass for secrets that were being changed', async () => {
    batches.push({ ...empty, reencrypted: 3, missed: 2 }, { ...empty, reencrypted: 1, missed: 1 });
    const { code, out } = await parley(['secrets', 'reencrypt']);
    expect([code, JSON.parse(out).services.assistants.reencrypted]).toEqual([0, 4]);
    expect(cursors).toEqual([null, null, null]);
  });

  it('exits with an error when a secret cannot be decrypted, and reports only its place', async () => {
    const failure = { table: 'things', column: 'secret', id: 'the-id', reason: 'It needs key k0.' };
    batches.push({ ...empty, reencrypted: 3, failed: [failure] });
    left = 1;
    const { code, out, err } = await parley(['secrets', 'reencrypt']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ reencrypted: 3, remaining: 1, failed: 1 });
    expect(err).toContain('assistants: things.secret of the-id is unchanged. It needs key k0.');
    expect(err).toContain('1 secret is not under the first key');
  });

  it('lists the first ten that cannot be decrypted, and counts the others', async () => {
    const failed = Array.from({ length: 250 }, (_, n) => {
      return { table: 'things', column: 'secret', id: `id-${n}`, reason: 'It needs key k0.' };
    });
    batches.push(
      { ...empty, failed: failed.slice(0, 100), next_cursor: '0:x' },
      { ...empty, failed: failed.slice(100) },
    );
    left = 250;
    const { err } = await parley(['secrets', 'reencrypt']);
    const lines = err.split('\n').filter((line) => line.startsWith('assistants'));
    expect(lines).toHaveLength(12);
    expect(lines.slice(-3)).toEqual([
      'assistants: things.secret of id-9 is unchanged. It needs key k0.',
      'assistants: 240 more are unchanged',
      'assistants: 0 secrets moved to key k2',
    ]);
  });

  it('uses the singular for one secret', async () => {
    batches.push({ ...empty, reencrypted: 1 });
    expect((await parley(['secrets', 'reencrypt'])).err).toContain('assistants: 1 secret moved to key k2\n');
  });

  it('stops when processes of a service have different first keys', async () => {
    batches.push({ ...empty, next_cursor: '0:x' }, { ...empty, key_id: 'k1' });
    const { code, out, err } = await parley(['secrets', 'reencrypt']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/assistants run with different first keys/);
  });

  it('prints a sentence and exits non-zero when a service is unavailable', async () => {
    const { code, out, err } = await parley(['secrets', 'reencrypt'], {
      TELEPHONY_URL: 'http://127.0.0.1:9',
    });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('telephony');
  });
});

describe('parley secrets status', () => {
  it('counts secrets by key, so that it is clear which key can be removed', async () => {
    await sealWithTheOldKey();
    left = 3;
    const { code, out } = await parley(['secrets', 'status']);
    expect(code).toBe(0);
    const { keys, remaining, services } = JSON.parse(out);
    expect([keys.k1, remaining]).toEqual([5, 5]);
    expect(keys.k2).toBeGreaterThan(14);
    expect(services.assistants).toEqual([
      { table: 'things', column: 'secret', key_id: 'k2', count: 7 },
      { table: 'things', column: 'secret', key_id: 'k1', count: 3 },
    ]);
    expect(
      services.gateway.map(({ column, key_id }: Record<string, string>) => `${column} ${key_id}`),
    ).toEqual(expect.arrayContaining(['webhook_secret k1', 'webhook_secret k2', 'old_webhook_secret k1']));
  });

  it.each([[['secrets', 'status']], [['secrets', 'reencrypt']]])('%j answers --help', async (args) => {
    const { code, out } = await parley([...args, '--help']);
    expect([code, out.startsWith('Usage: parley secrets')]).toEqual([0, true]);
  });
});

describe('The start of the gateway', () => {
  it('logs how many stored secrets need missing keys', async () => {
    const logged: Record<string, unknown>[] = [];
    const write = (line: string) => logged.push(JSON.parse(line));
    const atStart = createLogger({ service: 'gateway', level: 'error', destination: { write } });
    const old = await bootGateway({ ENCRYPTION_KEYS: String(K1) });
    const lacking = await bootReplica(old.database, { ENCRYPTION_KEYS: String(K2) }, atStart);
    await eventually(() =>
      expect(logged).toEqual([
        expect.objectContaining({
          msg: 'stored secrets need encryption keys that are not configured',
          missing: [{ keyId: 'k1', count: 1 }],
        }),
      ]),
    );
    await lacking.stop();
    await old.stop();
  });
});
