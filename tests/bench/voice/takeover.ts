import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { SqlClient } from '@parley/testkit';
import { setStage } from '../calls/stage.ts';

const CALLS = 10;
const TALKING_WITHIN_MS = 90_000;
const MEASURE_MS = 20_000;
const EVERY_MS = 50;

export type TakenOver = {
  calls: number;
  /** For the slowest call, time from the kill until another worker has it, until its recording grows, and until its next turn. */
  heldMs: number;
  audioMs: number;
  turnMs: number;
  /** Calls without another worker, audio or turn within 20 s, and lost turns. */
  lost: number;
  lostTurns: number;
};

/** Kills the worker of ten spoken calls while another worker is running. */
export async function measureTakeover(
  provider: { url: string; key: string },
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): Promise<TakenOver> {
  const list = [{ name: 'deepgram', type: 'deepgram', base_url: provider.url, api_key: provider.key }];
  const env = {
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    // Both workers need the same key.
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    SIMULATOR_MEDIA: 'narrowband',
    SPEECH_PROVIDERS: JSON.stringify(list),
  };
  const stage = await setStage({ lifecycle, log }, { rate: 20, workers: 1, recordings: true, env });
  const agent = stage.addAssistant();
  const ids = Array.from({ length: CALLS }, () => stage.dial(agent, 4_242));
  const deadline = performance.now() + TALKING_WITHIN_MS;
  while ((await spokenBy(stage.sql)).size < CALLS && performance.now() < deadline) await sleep(200);
  const before = await spokenBy(stage.sql);
  const [first] = stage.workers();
  if (!first || before.size < CALLS) throw new Error('The calls did not start talking');
  await stage.startWorker();
  const holders = await holdersOf(stage.sql);

  const recordings = await recorded(stage.sql, stage.recordings);
  const turns = await spokenBy(stage.sql);
  process.kill(first.pid, 'SIGKILL');
  const killedMs = performance.now();
  const found = new Map(ids.map((id) => [id, { held: 0, audio: 0, turn: 0 }]));
  while (performance.now() - killedMs < MEASURE_MS) {
    const [held, size, said] = await Promise.all([
      holdersOf(stage.sql),
      recorded(stage.sql, stage.recordings),
      spokenBy(stage.sql),
    ]);
    const sinceMs = performance.now() - killedMs;
    for (const [id, times] of found) {
      if (held.get(id) !== holders.get(id)) times.held ||= sinceMs;
      if (times.held && (size.get(id) ?? 0) > (recordings.get(id) ?? 0)) times.audio ||= sinceMs;
      if (times.held && (said.get(id) ?? 0) > (turns.get(id) ?? 0)) times.turn ||= sinceMs;
    }
    if ([...found.values()].every(({ held: h, audio, turn }) => h && audio && turn)) break;
    await sleep(EVERY_MS);
  }
  const after = await spokenBy(stage.sql);
  const all = [...found.values()];
  return {
    calls: CALLS,
    heldMs: Math.max(...all.map(({ held }) => held)),
    audioMs: Math.max(...all.map(({ audio }) => audio)),
    turnMs: Math.max(...all.map(({ turn }) => turn)),
    lost: all.filter(({ held, audio, turn }) => !held || !audio || !turn).length,
    lostTurns: ids.filter((id) => (after.get(id) ?? 0) < (turns.get(id) ?? 0)).length,
  };
}

/** Number of the human's turns, by call. */
async function spokenBy(sql: SqlClient): Promise<Map<string, number>> {
  const rows = await sql.$queryRaw<{ id: string; turns: number }[]>`
    SELECT call_id::text AS id, count(*)::int AS turns FROM turns GROUP BY call_id HAVING bool_or(role = 'user')`;
  return new Map(rows.map(({ id, turns }) => [id, turns]));
}

async function holdersOf(sql: SqlClient): Promise<Map<string, string>> {
  const rows = await sql.$queryRaw<{ id: string; worker: string }[]>`
    SELECT id::text, worker_id::text AS worker FROM calls`;
  return new Map(rows.map(({ id, worker }) => [id, worker]));
}

/** Bytes of recorded audio by call; each worker writes its own file. */
async function recorded(sql: SqlClient, folder: string): Promise<Map<string, number>> {
  const rows = await sql.$queryRaw<{ id: string; call: string }[]>`
    SELECT id::text, call_id::text AS call FROM recording_segments`;
  const found = new Map<string, number>();
  for (const { id, call } of rows) {
    const { size } = await stat(join(folder, 'live', `${id}.wav`)).catch(() => ({ size: 0 }));
    found.set(call, (found.get(call) ?? 0) + size);
  }
  return found;
}
