import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openSignInLink } from './demo-workspace.ts';
import { writeJsonFile } from './json-file.ts';

const demo = {
  workspace_id: 'demo-id',
  name: 'demo',
  private_key: 'svc_1',
  public_key: 'svc_pub_1',
  webhook_secret: 'whsec_1',
};
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs with a program in the place of the operator's command. */
async function linkBy(program: string): Promise<{ url: string | undefined; kept: unknown }> {
  const [path, cli] = [join(folder, 'demo.json'), join(folder, 'cli.cjs')];
  writeJsonFile(path, demo);
  writeFileSync(cli, program);
  const url = await openSignInLink(demo, { path, cli, env: {} });
  return { url, kept: JSON.parse(readFileSync(path, 'utf8')) };
}

it('the link of the owner is returned, and kept beside the keys of the workspace [dashboard.5]', async () => {
  const program = `console.log(JSON.stringify({ sign_in_url: process.argv.slice(2).join(' ') }))`;
  const { url, kept } = await linkBy(program);
  expect(url).toBe('dashboard link --workspace demo-id --email owner@demo.local --create owner');
  expect(kept).toEqual({ ...demo, dashboard_url: url });
});

it('without a link the workspace is kept as it was', async () => {
  expect(await linkBy('process.exit(1)')).toEqual({ url: undefined, kept: demo });
});
