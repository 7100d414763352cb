import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastLines, rotateLog, startInBackground } from './background.ts';

let folder: string;
let logFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-background-'));
  logFile = join(folder, 'a.log');
});

afterEach(() => rmSync(folder, { recursive: true }));

const node = (...args: string[]): [string, ...string[]] => [process.execPath, ...args];

describe('startInBackground', () => {
  it('lets the process write its own log', async () => {
    const child = startInBackground(node('-e', 'console.log("one"); console.error("two")'), { logFile });
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(lastLines(logFile)).toBe('one\ntwo');
    rotateLog(logFile);
    expect(readFileSync(`${logFile}.1`, 'utf8')).toBe('one\ntwo\n');
    expect(lastLines(logFile)).toBe('');
  });

  it('kills a process that does not stop in time', async () => {
    const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")';
    const child = startInBackground(node('-e', stubborn), { logFile });
    while (lastLines(logFile) !== 'up') await sleep(20);
    await child.stop('SIGTERM', 100);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('reports a missing program by an exit code', async () => {
    const child = startInBackground([join(folder, 'nothing')], { logFile });
    expect(await child.exited).toEqual({ code: 127, signal: null });
  });
});

describe('follow-parent.mjs', () => {
  it('reports the ports that the process listens on', async () => {
    const preload = fileURLToPath(new URL('./follow-parent.mjs', import.meta.url));
    const server = 'require("node:http").createServer().listen(0, "127.0.0.1")';
    const heard: unknown[] = [];
    const child = startInBackground(node('--import', preload, '-e', server), {
      logFile,
      onMessage: (message) => heard.push(message),
    });
    while (heard.length === 0) await sleep(20);
    await child.stop('SIGTERM', 2_000);
    expect(heard).toEqual([{ listening: expect.any(Number) }]);
  });
});
