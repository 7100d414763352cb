import type { Lifecycle } from '@parley/kit/lifecycle';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { atRate, runBench, summarize, toLine } from '@parley/testkit/load';
import { type Ask, startAssistants } from './assistants/service.ts';
import { anyWord, wordAt } from './knowledge/language.ts';
import { type Seeded, seedBase, seedOthers } from './knowledge/seed.ts';

// Searches in a knowledge base with 100,000 passages, in a table of a million, through the real service; for comparison, the
// same in a base with a thousand, and with the naive query. Requires Postgres (DATABASE_URL, as its owner) and RabbitMQ
// (AMQP_URL); cleans up after itself.

const LARGE = 100_000;
const SMALL = 1_000;
const OTHERS = 900_000;
const BAR_MS = 100;
const LOAD = { ratePerSecond: 12, seconds: 5 };
const SMALL_SECONDS = 2;

type Questions = (base: Seeded) => string;

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];

/** Words of one passage, so that the search has results. */
const wordsOf = ({ texts }: Seeded, count: number): string[] => {
  const words = (pick(texts) ?? '').split(' ');
  return Array.from({ length: count }, () => pick(words) ?? '');
};

const KINDS: [string, Questions][] = [
  ['a question of 8 words', (base) => wordsOf(base, 8).join(' ')],
  ['a question of 25 words', (base) => wordsOf(base, 25).join(' ')],
  [
    '4 of the commonest words',
    () => [0, 0, 0, 0].map(() => wordAt(Math.floor(Math.random() * 12))).join(' '),
  ],
  ['2 words of any kind', () => `${anyWord()} ${anyWord()}`],
  ['words that nobody wrote', (base) => `xyzzy plugh ${wordsOf(base, 2).join(' ')}`],
];

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const database = await testDatabase('assistants', { durable: true });
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const ask = await startAssistants(database.url, lifecycle);
  const { small, large } = await seedAll(ask, sql);
  const results: boolean[] = [];
  for (const [what, question] of KINDS) {
    const search = (base: Seeded) => () => searchOnce(ask, base, question(base));
    for (let n = 0; n < 5; n += 1) await search(large)();
    const figures = await atRate(LOAD, search(large));
    const met = figures.p99 <= BAR_MS;
    console.log(`${toLine(what, figures, 'searches')}  bar p99 ≤ ${BAR_MS} ms: ${met ? 'met' : 'MISSED'}`);
    const ofSmall = await atRate({ ...LOAD, seconds: SMALL_SECONDS }, search(small));
    console.log(toLine(`  of ${SMALL} passages`, ofSmall, 'searches'));
    results.push(met);
  }
  await printPlainQuery(sql, large);
  return results.every(Boolean);
}

async function searchOnce(ask: Ask, { id, workspaceId }: Seeded, query: string): Promise<void> {
  const response = await ask(workspaceId, 'POST', `/v1/knowledge-base/${id}/search`, { query });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`);
}

/** The naive query, any of the words with all matches ranked: its cost grows with the number of matches. */
async function printPlainQuery(sql: SqlClient, base: Seeded): Promise<void> {
  const latencies: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const words = wordsOf(base, 8).map((word) => `'${base.number}.${word}'`);
    const start = performance.now();
    await sql.$queryRaw`SELECT document_id, n, ts_rank_cd(terms, query) AS rank FROM knowledge_passages, (SELECT ${words.join(' | ')}::tsquery AS query) q
       WHERE terms @@ query ORDER BY rank DESC LIMIT 5`;
    latencies.push(performance.now() - start);
  }
  const seconds = latencies.reduce((sum, ms) => sum + ms, 0) / 1000;
  console.log(
    toLine('for comparison: rank them all', summarize(latencies.length / seconds, latencies), 'queries'),
  );
}

async function seedAll(ask: Ask, sql: SqlClient): Promise<{ small: Seeded; large: Seeded }> {
  const start = performance.now();
  // Only to seed faster: the index is built at the end, and rows are not checked.
  await sql.$executeRaw`DROP INDEX knowledge_passages_terms_idx`;
  await sql.$executeRaw`ALTER TABLE knowledge_passages DROP CONSTRAINT knowledge_passages_document_id_fkey`;
  await sql.$executeRaw`ALTER TABLE knowledge_passages SET UNLOGGED`;
  const [large] = await Promise.all([seedBase(ask, sql, LARGE), seedOthers(sql, OTHERS)]);
  const small = await seedBase(ask, sql, SMALL);
  await sql.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL maintenance_work_mem = '1GB'`;
    await tx.$executeRaw`CREATE INDEX knowledge_passages_terms_idx ON knowledge_passages USING gin (terms)
       WITH (fastupdate = on, gin_pending_list_limit = 512)`;
  });
  await sql.$executeRaw`VACUUM ANALYZE`;
  const [row] = await sql.$queryRaw<
    { passages: number; heap: string; index: string }[]
  >`SELECT count(*)::int AS passages, pg_size_pretty(pg_relation_size('knowledge_passages')) AS heap,
       pg_size_pretty(pg_relation_size('knowledge_passages_terms_idx')) AS index FROM knowledge_passages`;
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${row?.passages} passages (rows ${row?.heap}, index ${row?.index}), written in ${seconds} s`);
  return { small, large };
}

await runBench(bench);
