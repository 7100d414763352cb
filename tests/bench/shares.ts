import { fileURLToPath } from 'node:url';
import { runProgram } from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { sqlClient } from '@parley/testkit';
import { runBench, summarize, timesAtRate, toLine } from '@parley/testkit/load';
import { type PlatformStage, stagePlatform, type Workspace } from '@parley/testkit/stage';
import { seed as seedCalls } from './call-reads/seed.ts';

// The effect of a greedy workspace, which sends the most expensive requests at full speed, on reads of another workspace: the p99
// of its reads without and with the greedy workspace, alternately, and the median of each. First with the default limits, which the
// bar refers to; then without the greedy workspace's rate limit, to show the effect of the shares alone. Requires Postgres, Redis
// and RabbitMQ.

const ROUNDS = 3;
const READS = { ratePerSecond: 40, seconds: 5 };
const TIMES = 3;
const CALLS = 50_000;
const LARGE = 60_000;
const UNLIMITED = { 'requests-per-minute': 1_000_000, 'request-burst': 1_000_000 };
const GREEDY = fileURLToPath(new URL('./shares/greedy.ts', import.meta.url));

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await stagePlatform(lifecycle, { clockRate: 10 });
  const other = await stage.createWorkspace('Other', UNLIMITED);
  const limited = await stage.createWorkspace('Greedy');
  const unlimited = await stage.createWorkspace('Unlimited', UNLIMITED);
  const read = await seedAll(stage, other, [limited, unlimited]);
  await timesAtRate(READS, read);

  const isMet = await compare(stage, read, ROUNDS, { who: limited, what: 'with its rate limit' });
  await compare(stage, read, 1, { who: unlimited, what: 'without a rate limit (for information)' });
  const ended = Object.entries(stage.processes).flatMap(([name, it]) => (it.hasExited() ? [name] : []));
  console.log(ended.length === 0 ? 'no process exited' : `EXITED: ${ended.join(', ')}`);
  return isMet && ended.length === 0;
}

type Read = (n: number) => Promise<void>;

/** Seeds assistants with long prompts and many calls for the greedy workspace; returns the reads of the other one. */
async function seedAll(
  { url, environments }: PlatformStage,
  other: Workspace,
  greedy: Workspace[],
): Promise<Read> {
  const ask = async ({ private_key }: Workspace, method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${private_key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  const create = (workspace: Workspace, systemPrompt: string) =>
    ask(workspace, 'POST', '/v1/assistant', { agent_name: 'Ada', config: { systemPrompt } });
  for (const workspace of greedy) {
    for (let i = 0; i < 80; i += 1) await create(workspace, 'x'.repeat(LARGE));
  }
  const { id } = (await create(other, 'Be brief.')).data;
  const sql = sqlClient(environments.telephony.DATABASE_URL ?? '');
  await seedCalls(
    sql,
    new Map([
      ...greedy.map(({ workspace_id }) => [workspace_id, CALLS] as const),
      [other.workspace_id, 1_000],
    ]),
  );
  await sql.close();
  const reads = [
    () => ask(other, 'GET', `/v1/assistant/${id}`),
    () => ask(other, 'POST', '/v2/call/list', { size: 20 }),
    () => ask(other, 'POST', '/v1/assistant/list', {}),
    () => ask(other, 'GET', '/v1/voice'),
  ];
  return async (n) => {
    await reads[n % reads.length]?.();
  };
}

async function compare(
  stage: PlatformStage,
  read: Read,
  rounds: number,
  { who, what }: { who: Workspace; what: string },
): Promise<boolean> {
  const quiet: number[] = [];
  const beside: number[] = [];
  const answers: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await p99('in quiet', read));
    const asking = runGreedyClient(stage, who);
    beside.push(await p99('beside the greedy one', read));
    answers.push(await asking);
  }
  const [calm, busy] = [median(quiet), median(beside)];
  const isMet = busy <= TIMES * calm;
  console.log(`The greedy workspace, ${what}, got ${answers.join(' ')}`);
  console.log(
    `the other's p99 ${calm.toFixed(1)} ms in quiet, ${busy.toFixed(1)} ms beside it: ${(busy / calm).toFixed(1)} times ` +
      `(medians of ${rounds}); bar ${TIMES} times: ${isMet ? 'met' : 'MISSED'}`,
  );
  return isMet;
}

async function p99(what: string, read: Read): Promise<number> {
  const latencies = summarize(READS.ratePerSecond, await timesAtRate(READS, read));
  console.log(toLine(`  ${what}`, latencies, 'reads'));
  return latencies.p99;
}

/** Runs in a separate process of low priority, since the client would have its own machine. */
async function runGreedyClient({ url }: PlatformStage, { private_key: key }: Workspace): Promise<string> {
  const env = { ...process.env, GREEDY: JSON.stringify({ url, key, ms: READS.seconds * 1_000 }) };
  const args = ['-n', '10', process.execPath, '--import', 'tsx', '--conditions=source', GREEDY];
  const { ok, stdout, stderr } = await runProgram('nice', args, { env });
  if (!ok) throw new Error(stderr);
  return stdout;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await runBench(bench);
