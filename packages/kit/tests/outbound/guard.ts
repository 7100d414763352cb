import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench } from '@parley/testkit/load';
import { addressVectors, urlVectors } from './address-vectors.ts';
import { type Matrix, openMatrix } from './guard-matrix.ts';
import { clientOf, requestOf } from './harness.ts';

// Every spelling of an address that isn't public, by every way of leading a request there, with canaries that count who
// gets through. On Linux it runs in its own network namespace, in which every address of both families is this
// machine, so that the canary accepts connections to any of them; elsewhere only to the machine's own addresses.
// Wants neither Postgres nor RabbitMQ.

const INSIDE = 'PARLEY_GUARD_NETWORK';
const NETWORK = `ip link set lo up && ip route add local 0.0.0.0/0 dev lo && { ip -6 route add local ::/0 dev lo || true; }`;
const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const matrix = await openMatrix();
  lifecycle.onStop('matrix', matrix.close);
  for (const name of PROXIES) process.env[name] = `http://127.0.0.1:${matrix.port}`;
  const reachable = await withoutGuard(matrix);
  console.log(
    `${addressVectors.length} spellings of addresses; without the guard the canary hears ${reachable} of them`,
  );

  let accepted = 0;
  let answered = 0;
  const report = (way: string, count: number, before: number): void => {
    const opened = matrix.connections() - before;
    accepted += opened;
    console.log(`${way.padEnd(72)} ${String(count).padStart(5)} requests, ${opened} connections accepted`);
  };
  for (const [name, way] of Object.entries(matrix.ways)) {
    const before = matrix.connections();
    let count = 0;
    for (const vector of addressVectors) {
      const results = await way(vector);
      count += results.length;
      answered += results.filter(({ outcome }) => outcome === 'response').length;
    }
    report(name, count, before);
  }
  for (const [name, way] of Object.entries(matrix.urlWays)) {
    const before = matrix.connections();
    let count = 0;
    for (const url of urlVectors) count += (await way(url.replaceAll('PORT', String(matrix.port)))).length;
    report(`a URL of another kind, ${name}`, count, before);
  }
  const isReached = !process.env[INSIDE] || (await reachesThePublic(matrix));
  console.log(`bar: 0 connections accepted, 0 answers: ${accepted + answered === 0 ? 'met' : 'MISSED'}`);
  if (!isReached) console.log('MISSED: a public address was not reached, so that nothing is proved');
  return accepted + answered === 0 && isReached && reachable > 0;
}

/** The number of addresses that reach the canary without the guard. If it were 0, the test would prove nothing. */
async function withoutGuard({ port }: Matrix): Promise<number> {
  let reached = 0;
  for (const { address } of addressVectors) {
    const isOurs = process.env[INSIDE] || /^(127\.|::1$|::ffff:127\.)/.test(address);
    if (!isOurs) continue;
    const socket = connect({ host: address, port, timeout: 1_000 });
    const opened = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      once(socket, 'timeout').then(
        () => false,
        () => false,
      ),
    ]);
    if (opened) reached += 1;
    socket.destroy();
  }
  return reached;
}

/** A name with public addresses of both families is reached, and so is each of them by its number. */
async function reachesThePublic({ port, connections }: Matrix): Promise<boolean> {
  const before = connections();
  const client = clientOf({ allowCidrs: [], resolver: async () => ['8.8.8.8', '2606:4700:4700::1111'] });
  for (const host of ['8.8.8.8', '[2606:4700:4700::1111]', 'receiver.test']) {
    const { outcome } = await client.send(requestOf(`http://${host}:${port}/`, { allowHttp: true }));
    if (outcome !== 'response') return false;
  }
  return connections() === before + 3;
}

/** Runs this again in its own network namespace; returns the exit code, or undefined where that is not possible. */
async function inOwnNetwork(): Promise<number | undefined> {
  if (process.platform !== 'linux' || process.env[INSIDE]) return undefined;
  const enter = (...command: string[]) =>
    spawn(
      'unshare',
      ['--user', '--map-root-user', '--net', 'sh', '-c', `${NETWORK} && exec "$@"`, ...command],
      {
        stdio: command.includes('true') ? 'ignore' : 'inherit',
        env: { ...process.env, [INSIDE]: '1' },
      },
    );
  const ends = async (child: ReturnType<typeof enter>): Promise<number> => {
    try {
      const [code] = await once(child, 'exit');
      return code ?? 1;
    } catch {
      return 1;
    }
  };
  if ((await ends(enter('sh', 'true'))) !== 0) return undefined;
  return ends(enter('sh', process.execPath, ...process.execArgv, ...process.argv.slice(1)));
}

const code = await inOwnNetwork();
if (code === undefined) await runBench(bench);
else process.exitCode = code;
