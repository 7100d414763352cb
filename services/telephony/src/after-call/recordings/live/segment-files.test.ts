import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createSegmentFiles } from './segment-files.ts';

it('recordings of live calls are in a folder that only the service may read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'segments-'));
  const path = await createSegmentFiles(folder).prepare('segment');
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  rmSync(folder, { recursive: true });
});
