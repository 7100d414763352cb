import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';

const fixture = fileURLToPath(new URL('./fixtures/main-process.ts', import.meta.url));
const tsx = pathToFileURL(
  createRequire(new URL('../../../package.json', import.meta.url)).resolve('tsx'),
).href;

type Started = { child: ChildProcess; output(): string; ready: Promise<void>; exit: Promise<number | null> };

function start(mode: string): Started {
  const child = spawn(process.execPath, ['--import', tsx, '--conditions=source', fixture, mode], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const ready = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('"ready"')) resolve();
    });
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, output: () => output, ready, exit };
}

describe('runMain', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('releases and exits 0 on %s', async (signal) => {
    const { child, output, ready, exit } = start('serve');
    await ready;
    child.kill(signal);
    child.kill(signal); // The terminal and the parent both pass Ctrl-C on.
    expect(await exit).toBe(0);
    expect(output()).toContain('timer released');
  });

  it('exits at once on a second signal', async () => {
    const { child, output, ready, exit } = start('hang');
    await ready;
    child.kill('SIGTERM');
    await sleep(500);
    child.kill('SIGTERM');
    expect(await exit).toBe(143);
    expect(output()).toContain('timer released');
  });

  it('reports an invalid configuration in one line, without values, and exits 1', async () => {
    const { output, exit } = start('config');
    expect(await exit).toBe(1);
    const lines = output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const fatal = lines.filter(({ level }) => level === 'fatal');
    expect(fatal).toHaveLength(1);
    expect(fatal[0].problems).toEqual(
      expect.arrayContaining(['PORT must be a number', 'DATABASE_URL is required']),
    );
    expect(output()).not.toContain('hunter2');
    expect(output()).toContain('timer released');
  });

  it('releases opened resources when the start fails, and exits 1', async () => {
    const { output, exit } = start('start');
    expect(await exit).toBe(1);
    expect(output()).toContain('no database');
    expect(output()).toContain('timer released');
  });

  it.each(['crash', 'reject during start'])('releases and exits 1 on an uncaught error: %s', async (mode) => {
    const { output, exit } = start(mode);
    expect(await exit).toBe(1);
    expect(output()).toContain('forgotten');
    expect(output()).toContain('timer released');
  });

  it('survives an unhandled rejection, which it logs and counts', async () => {
    const { child, output, exit } = start('reject');
    await eventually(() => expect(output()).toContain('still here'));
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(output()).toMatch(/"level":"error".*"unhandled rejection"/);
    expect(output()).toContain('forgotten');
  });
});
