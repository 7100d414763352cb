import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SERVICES } from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench } from '@parley/testkit/load';
import { type PlatformStage, stagePlatform, type Workspace } from '@parley/testkit/stage';
import Table from 'cli-table3';
import { createBystanders } from './hostile/bystanders.ts';
import { signIn } from './hostile/sign-in.ts';
import { judge } from './hostile/verdict.ts';
import { watchProcesses } from './hostile/watch-processes.ts';

const MINUTES = Number(process.env.CHAOS_MINUTES ?? 30);
const SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const WARM_UP_MS = 10_000;
const QUIET_MS = Math.min(120_000, MINUTES * 60_000);
const DELIVERED_WITHIN_MS = 120_000;
const ATTACKERS_END_WITHIN_MS = 60_000;

// `npm run chaos -- hostile`: see main.ts. Everything stays on loopback.
await runBench(async (lifecycle) => {
  if (!(MINUTES > 0 && MINUTES <= 24 * 60)) throw new Error('CHAOS_MINUTES must be a number of minutes');
  console.log(`CHAOS_SEED=${SEED} CHAOS_MINUTES=${MINUTES}`);
  // In real time: a faster clock would repeat periodic work, and requests to hostile servers, more often than in production.
  const stage = await stagePlatform(lifecycle, { clockRate: 1 });
  const watch = watchProcesses(stage.processes);
  lifecycle.onStop('watch', watch.stop);
  const bystanders = await createBystanders(stage, lifecycle);
  const attackers = [];
  for (const name of ['First', 'Second', 'Third', 'Quiet']) attackers.push(await stage.createWorkspace(name));
  const session = await signIn(stage, attackers[0]?.workspace_id ?? '');
  await bystanders.work(WARM_UP_MS);
  console.log(`quiet for ${QUIET_MS / 1_000} s`);
  const begun = await watch.cpuSeconds();
  const quiet = await bystanders.work(QUIET_MS);
  const calm = await watch.cpuSeconds();
  console.log(`hostile for ${MINUTES * 60} s`);
  const attacking = attack(stage, attackers, session, lifecycle);
  const hostile = await bystanders.work(MINUTES * 60_000);
  const busy = await watch.cpuSeconds();
  const answers = await attacking;
  const undelivered = await bystanders.undelivered(DELIVERED_WITHIN_MS);
  const [ended, peakMib] = [watch.ended(), watch.peakMib()];
  const lines = judge({
    quiet,
    hostile,
    undelivered,
    ended,
    peakMib,
    late: answers.late,
    minutes: MINUTES / 3,
  });

  const table = new Table({ head: ['', 'measured', 'bar', ''], style: { head: [], border: [] } });
  for (const { what, measured, bar, ok } of lines) table.push([what, measured, bar, ok ? 'ok' : 'BREACH']);
  console.log(table.toString());
  printAnswers(answers.all);
  for (const name of Object.keys(stage.processes)) {
    const shareOf = (from: number | undefined, to: number | undefined, ms: number): string =>
      `${((100_000 * ((to ?? 0) - (from ?? 0))) / ms).toFixed(1)} %`;
    const [inQuiet, attacked] = [
      shareOf(begun[name], calm[name], QUIET_MS),
      shareOf(calm[name], busy[name], MINUTES * 60_000),
    ];
    console.log(`${name} used ${attacked} of a CPU, ${inQuiet} in the quiet phase`);
  }
  for (const name of SERVICES) await printErrors(name, join(stage.folder, `${name}.log`));
  return lines.every(({ ok }) => ok) && !lifecycle.signal.aborted;
});

/** Counts of the results of attacks, in all and in the last third of the time. */
type Answers = { all: Record<string, number>; late: Record<string, number> };

/** Runs the attackers in a separate process of low priority, since they would have their own machines. */
async function attack(
  { url }: PlatformStage,
  workspaces: readonly Workspace[],
  sessionOfFirst: Record<string, string>,
  lifecycle: Lifecycle,
): Promise<Answers> {
  const file = join(import.meta.dirname, 'hostile/attacker.ts');
  const ms = MINUTES * 60_000;
  const keys = workspaces.map(({ private_key, public_key }, at) => ({
    privateKey: private_key,
    publicKey: public_key,
    ...(at === 0 && { session: sessionOfFirst }),
  }));
  const args = ['-n', '10', process.execPath, '--import', 'tsx', '--conditions=source', file];
  const child = spawn('nice', args, {
    env: { ...process.env, HOSTILE: JSON.stringify({ url, seed: SEED, ms, workspaces: keys }) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // Linux may share the processors among sessions first (autogroup): then `nice` counts within a session only, and this file across them.
  await writeFile(`/proc/${child.pid}/autogroup`, '10').catch(() => undefined);
  lifecycle.onStop('attackers', () => void child.kill('SIGKILL'));
  const giveUp = setTimeout(() => child.kill('SIGKILL'), ms + ATTACKERS_END_WITHIN_MS);
  let last = '{"all":{},"late":{}}';
  for await (const line of createInterface({ input: child.stdout })) last = line;
  clearTimeout(giveUp);
  return JSON.parse(last) as Answers;
}

function printAnswers(answers: Record<string, number>): void {
  const sorted = Object.entries(answers).toSorted(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) throw new Error('The attackers sent no requests.');
  console.log(`${total} attacks: ${sorted.map(([what, count]) => `${what} × ${count}`).join(', ')}`);
}

/** Prints the error messages that a service logged, with their counts. */
async function printErrors(name: string, logFile: string): Promise<void> {
  const counts = new Map<string, number>();
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    const found = /"level":"?(error|fatal|50|60)"?/.test(line)
      ? /"msg":"([^"]*)"/.exec(line)?.[1]
      : undefined;
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  for (const [message, count] of counts) console.log(`${name} logged errors: ${message} × ${count}`);
}
