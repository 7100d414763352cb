import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, ParleyError } from '@parley/client';
import { runProgram } from '@parley/devstack';
import { eventually, freePort } from '@parley/testkit';
import type { Platform } from '@parley/testkit/stage';
import type { Enter } from './platform/describe-platform.ts';

const FOLDER = fileURLToPath(new URL('../packages/client/', import.meta.url));
const FLAGS = ['--import', 'tsx', '--conditions=source'];

let platform: Platform;

const environment = () => ({
  ...process.env,
  NODE_OPTIONS: '',
  PARLEY_URL: platform.url,
  PARLEY_KEY: platform.workspace.private_key,
});

async function run(example: string): Promise<string[]> {
  const args = [...FLAGS, `examples/${example}.ts`];
  const { ok, stdout, stderr } = await runProgram(process.execPath, args, {
    cwd: FOLDER,
    env: environment(),
  });
  expect({ ok, stderr }).toEqual({ ok: true, stderr: '' });
  return stdout.trim().split('\n');
}

export const clientSuite = (enter: Enter) =>
  describe('@parley/client against the whole platform', () => {
    beforeAll(async () => {
      platform = await enter();
    });

    it('its README contains the examples unchanged', async () => {
      const readme = await readFile(`${FOLDER}README.md`, 'utf8');
      for (const name of ['first-call', 'pages-and-errors', 'receiver'])
        expect(readme).toContain(`\`\`\`ts\n${await readFile(`${FOLDER}examples/${name}.ts`, 'utf8')}\`\`\``);
    });

    it('places a call and follows it to its end (examples/first-call.ts)', async () => {
      expect(await run('first-call')).toEqual([
        expect.stringMatching(/^The call ended with user_hangup after \d+ seconds$/),
      ]);
    });

    it('pages through a list, and distinguishes an invalid campaign from a failing platform (examples/pages-and-errors.ts)', async () => {
      const lines = await run('pages-and-errors');
      expect(lines[0]).toBe('1 of 1 calls');
      expect(lines.slice(1)).toEqual([
        expect.stringMatching(/^[0-9a-f-]{36} completed user_hangup$/),
        '422 VALIDATION_FAILED agent_id true',
      ]);
    });

    it('accepts a webhook signed by the platform, and refuses others (examples/receiver.ts)', async () => {
      const port = await freePort();
      const env = { ...environment(), PORT: String(port), WEBHOOK_SECRET: platform.workspace.webhook_secret };
      const child = spawn(process.execPath, [...FLAGS, 'examples/receiver.ts'], { cwd: FOLDER, env });
      const lines: string[] = [];
      createInterface(child.stdout).on('line', (line) => lines.push(line));
      try {
        await eventually(() => expect(lines).toEqual(['listening']), { timeoutMs: 30_000 });
        const url = `http://127.0.0.1:${port}/hook`;
        expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
        const parley = createClient({ baseUrl: platform.url, apiKey: platform.workspace.private_key });
        const config = { settings: { webhookUrl: url } };
        const assistant = await parley.assistants.create({ agent_name: 'Ada', config });
        const { id } = await parley.calls.createWeb({ agent_id: assistant.id });
        await parley.calls.stop(id);
        await eventually(() => expect(lines).toContain(`call_ended ${id}`), { timeoutMs: 30_000 });
      } finally {
        await end(child);
      }
    });

    it('returns every kind of response as its type says: data, pages, nothing, a file', async () => {
      const parley = createClient({ baseUrl: `${platform.url}/`, apiKey: platform.workspace.private_key });
      const names = ['One', 'Two', 'Three'];
      for (const name of names) await parley.knowledgeBases.create({ name });
      const found: string[] = [];
      for await (const base of parley.knowledgeBases.list({ limit: 2 })) found.push(base.name);
      expect(found).toEqual(names.toReversed());
      const first = await parley.knowledgeBases.list({ limit: 1 });
      expect(first).toMatchObject({ total: 3, nextCursor: '1', items: [{ name: 'Three' }] });
      const id = String(first.items[0]?.id);
      expect(await parley.knowledgeBases.delete(id)).toBeUndefined();
      const lost = parley.knowledgeBases.get(id);
      await expect(lost).rejects.toThrow(ParleyError);
      await expect(lost).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404, details: [] });
      const twice = { idempotencyKey: 'the-same' };
      const [a, b] = [
        await parley.knowledgeBases.create({ name: 'Once' }, twice),
        await parley.knowledgeBases.create({ name: 'Once' }, twice),
      ];
      expect(b).toEqual(a);
      const file = parley.campaigns.downloadContacts(id);
      await expect(file).rejects.toMatchObject({ code: 'CAMPAIGN_NOT_FOUND' });
    });
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}
