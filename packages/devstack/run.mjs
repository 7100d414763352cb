#!/usr/bin/env node
// The entry point of every `npm` command. Plain JavaScript without dependencies, since a fresh clone only has Node and npm:
// checks Node's version and the arguments, installs the dependencies of pnpm-lock.yaml if they are outdated, and runs the TypeScript
// of the command.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asksForHelp, usageOf, wrongArguments } from './usage.mjs';

const PNPM = '12.21.0';
const MINIMUM_NODE = [20, 19];
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const stackDir = join(root, '.stack');

const [command, ...rest] = process.argv.slice(2);
const own = ['start', 'test', 'service', 'parley', 'remove', 'build', 'generate', 'audit'];
const scripts = {
  ...Object.fromEntries(own.map((name) => [name, `packages/devstack/src/commands/${name}.ts`])),
  demo: 'packages/demo/src/main.ts',
  bench: 'tests/bench/main.ts',
  chaos: 'tests/chaos/main.ts',
  screenshots: 'tests/dashboard/screenshots.ts',
};

checkNode();
if (!Object.hasOwn(scripts, command ?? '')) {
  fail(`Usage: node packages/devstack/run.mjs ${Object.keys(scripts).join('|')}`);
}
// Before anything is installed or started.
if (asksForHelp(command, rest)) {
  process.stdout.write(`${usageOf(command)}\n`);
  process.exit(0);
}
const wrong = wrongArguments(command, rest);
if (wrong) fail(`${wrong}\n${usageOf(command)}`);
if (!isInstalled()) withInstallLock(install);
// The only command that needs pnpm itself.
handOver(scripts[command], command === 'audit' ? [...pnpm(), ...rest] : rest);

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])) return;
  fail(
    `Parley needs Node ${MINIMUM_NODE.join('.')} or newer, and this is ${process.versions.node}. See https://nodejs.org`,
  );
}

/** pnpm keeps a copy of the lock file that it installed from. */
function isInstalled() {
  try {
    const wanted = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
    return wanted === readFileSync(join(root, 'node_modules/.pnpm/lock.yaml'), 'utf8');
  } catch {
    return false;
  }
}

function install() {
  if (isInstalled()) return;
  const began = Date.now();
  const [program, ...args] = pnpm();
  const log = join(stackDir, 'logs/install.log');
  mkdirSync(dirname(log), { recursive: true });
  // Standard error, so that a command whose standard output is data stays clean.
  process.stderr.write(
    `Installing dependencies with ${program === 'pnpm' ? 'pnpm' : `npx pnpm@${PNPM}`} …\n`,
  );
  const output = openSync(log, 'w', 0o600);
  const result = spawnSync(program, [...args, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    stdio: ['ignore', output, output],
    // Without a terminal pnpm refuses to replace a node_modules of another pnpm version, unless CI is set.
    env: { ...process.env, CI: 'true' },
  });
  if (result.status !== 0 || !isInstalled()) {
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
    fail(
      `${lines}\n\nThe dependencies could not be installed (${result.error?.message ?? `exit ${result.status}`}). ` +
        `Is the package registry reachable? All of the output is in ${log}`,
    );
  }
  process.stderr.write(`Installed in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}

/** The pnpm of this machine if it is new enough, otherwise one that npx fetches. */
function pnpm() {
  const found = spawnSync('pnpm', ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: root,
    env: { ...process.env, COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' },
  });
  const major = Number(/^(\d+)\.\d+\.\d+/m.exec(found.stdout ?? '')?.[1]);
  return major >= Number(PNPM.split('.')[0]) ? ['pnpm'] : ['npx', '--yes', `pnpm@${PNPM}`];
}

/** Two commands in one fresh folder must not install at the same time: the second waits. */
function withInstallLock(work) {
  const lock = join(stackDir, 'install.lock');
  mkdirSync(stackDir, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isAlive(lock)) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  process.once('exit', () => rmSync(lock, { force: true }));
  work();
  rmSync(lock, { force: true });
}

function isAlive(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * The IPC channel lets the command notice our exit, even by SIGKILL. Signals are passed on, so a Ctrl-C may arrive twice, which the
 * commands tolerate.
 */
function handOver(script, args) {
  const flags = ['--import', 'tsx', '--conditions=source'];
  const child = spawn(process.execPath, [...flags, join(root, script), ...args], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)),
  );
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
