import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { SqlClient } from '@parley/testkit';
import { type Stage, setStage } from '../calls/stage.ts';

const CALLS = 10;
const TALKING_WITHIN_MS = 90_000;
const MEASURE_MS = 20_000;
const ENDED_WITHIN_MS = 90_000;
const EVERY_MS = 50;
/** Frames of two channels with 16 bits each: the human, then the assistant. */
const WAV_HEADER_BYTES = 44;
const FRAME_BYTES = 4;
const ASSISTANT_OFFSET = 2;
const AUDIBLE = 500;
/** Audible samples that make a voice, rather than a click: a twentieth of a second. */
const VOICE_SHARE = 1 / 20;
/** A line whose turn is not over this long after it was said is not in the endpointing any more. */
const TURN_WITHIN_MS = 2_000;

export type TakenOver = {
  calls: number;
  /** For the slowest call, time from the kill until another worker has it, until its human hears the assistant, and until the next turn is on record; 20 s if that never happens. */
  heldMs: number;
  audioMs: number;
  turnMs: number;
  /** Calls without another worker, the assistant's voice or a turn within 20 s. */
  lost: number;
  /** What the humans have said in full, in calls that were taken over, until their ends. */
  lines: number;
  /** Of these, said so shortly before the kill that their turn was not over: the assistant has to ask for them. */
  cutLines: number;
  /** Of these, any others that are not on record, and turns on record that no human has said. */
  lostLines: number;
};

/** Kills the worker of ten spoken calls while another worker is running, and compares what the humans say until the end with the record. */
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
  await untilTalking(stage, ids);
  const [first] = stage.workers();
  if (!first) throw new Error('There is no worker');
  await stage.startWorker();

  const lines = await watchLines(stage, ids);
  const before = await callsOf(stage.sql);
  const parts = new Set((await partsOf(stage.sql)).map(({ id }) => id));
  process.kill(first.pid, 'SIGKILL');
  const killedMs = performance.now();
  const killedAt = Date.now();
  const cut = ids.filter((id) => isInTurn(before.get(id), lines.get(id), killedMs));

  const found = new Map(ids.map((id) => [id, { held: 0, audio: 0, turn: 0 }]));
  while (performance.now() - killedMs < MEASURE_MS) {
    const [now, all] = await Promise.all([callsOf(stage.sql), partsOf(stage.sql)]);
    const sinceMs = performance.now() - killedMs;
    for (const [id, times] of found) {
      const [was, is] = [before.get(id), now.get(id)];
      if (is?.worker !== was?.worker) times.held ||= sinceMs;
      if (times.held && (is?.turns ?? 0) > (was?.turns ?? 0)) times.turn ||= sinceMs;
      const own = all.filter((part) => part.call === id && !parts.has(part.id));
      if (!times.audio) times.audio = await heardAt(own, stage.recordings, killedAt);
    }
    if ([...found.values()].every(({ held, audio, turn }) => held && audio && turn)) break;
    await sleep(EVERY_MS);
  }
  await stage.untilEnded(CALLS, ENDED_WITHIN_MS / 1_000);
  const after = await callsOf(stage.sql);
  const all = [...found.values()];
  return {
    calls: CALLS,
    heldMs: Math.max(...all.map(({ held }) => held || MEASURE_MS)),
    audioMs: Math.max(...all.map(({ audio }) => audio || MEASURE_MS)),
    turnMs: Math.max(...all.map(({ turn }) => turn || MEASURE_MS)),
    lost: all.filter(({ held, audio, turn }) => !held || !audio || !turn).length,
    lines: ids.reduce((sum, id) => sum + (after.get(id)?.said ?? 0), 0),
    cutLines: cut.length,
    lostLines: ids.reduce((sum, id) => {
      const { said = 0, recorded = 0 } = after.get(id) ?? {};
      return sum + Math.abs(said - recorded - (cut.includes(id) ? 1 : 0));
    }, 0),
  };
}

async function untilTalking({ sql }: Stage, ids: readonly string[]): Promise<void> {
  const deadline = performance.now() + TALKING_WITHIN_MS;
  for (;;) {
    const calls = await callsOf(sql);
    if (ids.every((id) => (calls.get(id)?.recorded ?? 0) > 0)) return;
    if (performance.now() > deadline) throw new Error('The calls did not start talking');
    await sleep(EVERY_MS);
  }
}

type Line = { said: number; sinceMs: number };

/** When each human said its last line in full: watched for long enough that a line from before is no longer in its turn. */
async function watchLines({ sql }: Stage, ids: readonly string[]): Promise<Map<string, Line>> {
  const lines = new Map<string, Line>();
  const endsMs = performance.now() + TURN_WITHIN_MS;
  while (performance.now() < endsMs) {
    const calls = await callsOf(sql);
    for (const id of ids) {
      const said = calls.get(id)?.said ?? 0;
      const known = lines.get(id);
      if (!known) lines.set(id, { said, sinceMs: Number.NEGATIVE_INFINITY });
      else if (known.said !== said) lines.set(id, { said, sinceMs: performance.now() });
    }
    await sleep(EVERY_MS);
  }
  return lines;
}

/** Whether the human's last line was said, and its turn not over, when the worker was killed. */
function isInTurn(call: CallRow | undefined, line: Line | undefined, killedMs: number): boolean {
  if (!call || !line) return false;
  return call.recorded < call.said && killedMs - line.sinceMs < TURN_WITHIN_MS;
}

type CallRow = {
  worker: string | null;
  /** All turns, and those of the human. */
  turns: number;
  recorded: number;
  /** Lines that the human has said in full, by its own count. */
  said: number;
};

async function callsOf(sql: SqlClient): Promise<Map<string, CallRow>> {
  const rows = await sql.$queryRaw<(CallRow & { id: string })[]>`
    SELECT id::text, worker_id::text AS worker, coalesce((carrier_state->>'spoken')::int, 0) AS said,
      (SELECT count(*)::int FROM turns WHERE call_id = calls.id) AS turns,
      (SELECT count(*)::int FROM turns WHERE call_id = calls.id AND role = 'user' AND content <> '') AS recorded
    FROM calls`;
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

type Part = { id: string; call: string; startMs: number; rate: number; answeredAt: Date };

/** What each worker has recorded: a file of its own. */
async function partsOf(sql: SqlClient): Promise<Part[]> {
  return sql.$queryRaw<Part[]>`
    SELECT s.id::text, call_id::text AS call, start_ms AS "startMs", sample_rate AS rate, answered_at AS "answeredAt"
    FROM recording_segments s JOIN calls ON calls.id = call_id WHERE answered_at IS NOT NULL`;
}

/** Milliseconds from the kill to the first voice of the assistant in these parts; 0: there is none yet. */
async function heardAt(parts: readonly Part[], folder: string, killedAt: number): Promise<number> {
  for (const { id, startMs, rate, answeredAt } of parts) {
    const bytes = await readFile(join(folder, 'live', `${id}.wav`)).catch(() => Buffer.alloc(0));
    let audible = 0;
    for (let at = WAV_HEADER_BYTES; at + FRAME_BYTES <= bytes.length; at += FRAME_BYTES) {
      if (Math.abs(bytes.readInt16LE(at + ASSISTANT_OFFSET)) > AUDIBLE) audible += 1;
      if (audible < rate * VOICE_SHARE) continue;
      const positionMs = startMs + ((at - WAV_HEADER_BYTES) / FRAME_BYTES / rate) * 1_000;
      return answeredAt.getTime() + positionMs - killedAt;
    }
  }
  return 0;
}
