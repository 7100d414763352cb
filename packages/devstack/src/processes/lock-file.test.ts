import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { takeLock } from './lock-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  path = join(folder, 'a.lock');
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('takeLock', () => {
  it('is held once, and can be taken again after its release', () => {
    const lock = takeLock(path, 'jest');
    expect(lock).toMatchObject({ held: true });
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    if (lock.held) lock.release();
    expect(takeLock(path, 'jest')).toMatchObject({ held: true });
  });

  it('reports its holder', async () => {
    const holder = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000) // parley-lock-holder']);
    const gone = new Promise((resolve) => holder.once('exit', resolve));
    writeFileSync(path, `${holder.pid}\n`);
    const whileAlive = takeLock(path, 'parley-lock-holder');
    holder.kill('SIGKILL');
    await gone;
    expect(whileAlive).toEqual({ held: false, pid: holder.pid });
    expect(takeLock(path, 'parley-lock-holder')).toMatchObject({ held: true });
  });

  it('ignores a pid that now belongs to another process', () => {
    writeFileSync(path, `${process.ppid}\n`);
    expect(takeLock(path, 'commands/no-such-command.ts')).toMatchObject({ held: true });
  });

  it('ignores a truncated file', () => {
    writeFileSync(path, '');
    expect(takeLock(path, 'jest')).toMatchObject({ held: true });
  });
});
