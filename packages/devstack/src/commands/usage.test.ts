import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '../stack/folders.ts';
import { isSpoken, leftOut, wantsSip } from '../stack/left-out.ts';

describe('the arguments of an npm command', () => {
  let clone: string;
  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'parley-clone-'));
    const folder = join(clone, 'packages/devstack');
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(join(ROOT, 'packages/devstack')).filter((name) => name.endsWith('.mjs')))
      cpSync(join(ROOT, 'packages/devstack', file), join(folder, file));
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  const run = (...args: string[]) => {
    const program = join(clone, 'packages/devstack/run.mjs');
    // Without a PATH nothing can be installed.
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      encoding: 'utf8',
      env: { PATH: '' },
    });
    return { status, stdout, stderr };
  };
  const commands = ['start', 'demo', 'test', 'service', 'remove', 'bench', 'chaos', 'screenshots', 'build'];

  it.each([...commands, 'generate', 'audit'])(
    '`%s --help` prints the usage, and installs and starts nothing',
    (command) => {
      const { status, stdout, stderr } = run(command, '--help');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^Usage: npm (run )?${command}`));
      expect(readdirSync(clone)).toEqual(['packages']);
    },
  );

  it('`npm start -- --help` lists the options that it accepts', () => {
    const { stdout } = run('start', '-h');
    const options = stdout.match(/^ {2}--\w+/gm)?.map((option) => option.trim());
    expect(options).toEqual(['--spoken', '--sip', '--without', '--help']);
    const args = ['--spoken', '--sip', '--without', 'telephony'];
    expect([isSpoken(args), wantsSip(args, {}), [...leftOut(args)]]).toEqual([true, true, ['telephony']]);
  });

  it('an unknown option is answered with the known ones before anything is installed', () => {
    const { status, stderr } = run('start', '--speak');
    expect(status).toBe(1);
    expect(stderr).toMatch(/--speak'[\s\S]*Usage: npm start[\s\S]*--spoken[\s\S]*--without SERVICE/);
    expect(run('remove', '--force').stderr).toMatch(/--force'[\s\S]*--yes/);
    expect(run('start', '--without').stderr).toContain('--without SERVICE');
    expect(readdirSync(clone)).toEqual(['packages']);
  });
});
