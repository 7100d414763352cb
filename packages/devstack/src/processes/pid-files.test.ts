import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPidFiles } from './pid-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-pids-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function start() {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000) // parley-pid-files']);
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_code, signal) => resolve(signal));
  });
  return { child, pid: child.pid ?? -1, exited };
}

describe('killLeftovers', () => {
  it('ends the processes of an earlier run, and removes their files', async () => {
    const { pid, exited } = start();
    createPidFiles(folder).add('gateway', pid, 'parley-pid-files');
    expect(await createPidFiles(folder).killLeftovers()).toEqual(['gateway']);
    expect(await exited).toBe('SIGTERM');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves a process alone that only has the same pid', async () => {
    const { child, pid, exited } = start();
    const pidFiles = createPidFiles(folder);
    pidFiles.add('gateway', pid, '/somewhere/else/dist/main.js');
    const killed = await pidFiles.killLeftovers();
    child.kill('SIGKILL');
    expect(await exited).toBe('SIGKILL');
    expect(killed).toEqual([]);
  });

  it('ignores an unreadable file', async () => {
    writeFileSync(join(folder, 'gateway.json'), '{');
    expect(await createPidFiles(folder).killLeftovers()).toEqual([]);
  });
});
