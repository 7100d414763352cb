import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { writeJsonFile } from './json-file.ts';
import { keepRotatedSecret } from './keep-rotated-secret.ts';

const demo = {
  workspace_id: 'demo-id',
  name: 'demo',
  private_key: 'svc_1',
  public_key: 'svc_pub_1',
  webhook_secret: 'whsec_old',
};
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-demo-'));
  path = join(folder, 'demo.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const lineOf = (workspaceId: string) =>
  `${JSON.stringify({ workspace_id: workspaceId, webhook_secret: 'whsec_new', old_secret_expires_at: 'tomorrow' })}\n`;
const kept = (): unknown => JSON.parse(readFileSync(path, 'utf8'));

it('the stored secret of the workspace demo is replaced, and nothing else [access.9]', () => {
  writeJsonFile(path, demo);
  keepRotatedSecret(path, lineOf('demo-id'));
  expect(kept()).toEqual({ ...demo, webhook_secret: 'whsec_new' });
});

it('the secret of another workspace is not stored', () => {
  keepRotatedSecret(path, lineOf('other-id'));
  writeJsonFile(path, demo);
  keepRotatedSecret(path, lineOf('other-id'));
  expect(kept()).toEqual(demo);
});
