import { randomUUID } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { atRate, type Latencies, runBench, toLine } from '@parley/testkit/load';
import { seed } from './assistants/seed.ts';
import { type Ask, startAssistants } from './assistants/service.ts';

// Lists and updates in a workspace with 100,000 assistants, through the real service. The same in a workspace with a hundred
// separates the cost of the number of assistants from the speed of the machine. Requires Postgres (DATABASE_URL) and
// RabbitMQ (AMQP_URL); cleans up after itself.

const MANY = 100_000;
const FEW = 100;
const LIST = { ratePerSecond: 15, seconds: 8, barMs: 50 };
const FEW_SECONDS = 3;
const PATCH = { ratePerSecond: 100, seconds: 10, barMs: 40 };

type Workspace = { id: string; ask: Ask; ids: string[] };

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const database = await testDatabase('assistants', { durable: true });
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const ask = await startAssistants(database.url, lifecycle);
  const few = await seedAll(sql, ask, FEW);
  const many = await seedAll(sql, ask, MANY);
  console.log(`${LIST.ratePerSecond} lists a second, ${PATCH.ratePerSecond} updates a second`);

  const results = [
    await compare('list, page 1', { few, many }, LIST, list({})),
    await compare('list, page 500', { few, many }, LIST, list({ page: 500 }), list({ page: 10 })),
    await compare(
      'search, few found',
      { few, many },
      LIST,
      list({ search: 'sales 777' }),
      list({ search: 'sales 7' }),
    ),
    await compare(
      'search, many found',
      { few, many },
      LIST,
      list({ search: 'SALES', size: 100 }),
      list({ search: 'SALES' }),
    ),
    await compare('search, 255 × %', { few, many }, LIST, list({ search: '%'.repeat(255) })),
    await compare('change (PATCH)', { few, many }, PATCH, patch),
    await compare('list after the changes', { few, many }, LIST, list({})),
    await compare('search after the changes', { few, many }, LIST, list({ search: 'sales 777' })),
  ];
  return results.every(Boolean);
}

type Request = (workspace: Workspace, n: number) => Promise<void>;

/** Prints a line for each workspace; the bar applies to the large one. */
async function compare(
  what: string,
  { few, many }: { few: Workspace; many: Workspace },
  { barMs, ...load }: typeof LIST,
  request: Request,
  ofFew = request,
): Promise<boolean> {
  const measured = (workspace: Workspace, send: Request, seconds = load.seconds): Promise<Latencies> =>
    atRate({ ...load, seconds }, (n) => send(workspace, n));
  for (let n = 0; n < 5; n += 1) await request(many, n);
  const large = await measured(many, request);
  const met = large.p99 <= barMs;
  console.log(`${toLine(what, large, 'requests')}  bar p99 ≤ ${barMs} ms: ${met ? 'met' : 'MISSED'}`);
  console.log(toLine(`  of ${FEW} assistants`, await measured(few, ofFew, FEW_SECONDS), 'requests'));
  return met;
}

function list(body: object): Request {
  return async ({ id, ask }) => take(await ask(id, 'POST', '/v1/assistant/list', body));
}

const patch: Request = async ({ id, ask, ids }, n) => {
  const config = { firstMessage: `Hello ${n}`, settings: { silenceTimeout: 10 + (n % 100) } };
  await take(await ask(id, 'PATCH', `/v1/assistant/${ids[n % ids.length]}`, { config }));
};

/** Reads the whole response. */
async function take(response: Response): Promise<void> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`);
}

async function seedAll(sql: SqlClient, ask: Ask, count: number): Promise<Workspace> {
  const id = randomUUID();
  const response = await ask(id, 'POST', '/v1/assistant', { agent_name: 'Template' });
  const { data } = (await response.json()) as { data: { id: string; config: { toolIds: [string] } } };
  const template = { id: data.id, toolId: data.config.toolIds[0] };
  return { id, ask, ids: await seed(sql, { workspaceId: id, count, template }) };
}

await runBench(bench);
