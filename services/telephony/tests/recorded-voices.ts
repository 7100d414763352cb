import { readWav, type Wav } from '@parley/media/testing';
import type { Harness, Json } from './harness.ts';

type Role = 'user' | 'agent';

/** Left and right. */
export const CHANNELS: Readonly<Record<Role, number>> = { user: 0, agent: 1 };
/** Less than half of what a fast speaker needs. */
const MS_PER_CHARACTER = 25;
const TOLERANCE_MS = 300;
const BLOCK_MS = 20;

type Turn = { role: Role; content: string; interrupted: boolean | null; atMs: number };

/** The recording of a call, and when each turn of its timeline was noted, counted from the beginning of the recording [calls.19]. */
export async function recordedVoices(harness: Harness, call: Json, timeline: readonly Json[]) {
  const { pathname, search } = new URL(call.recording_url);
  const answer = await fetch(`${harness.url}${pathname}${search}`);
  const wav = readWav(Buffer.from(await answer.arrayBuffer()));
  const answeredAtMs = Date.parse(timeline.find(({ type }) => type === 'answered')?.at);
  const turns: Turn[] = timeline
    .filter(({ type }) => type === 'turn')
    .map(({ role, content, interrupted, at }) => ({
      role,
      content,
      interrupted,
      atMs: Date.parse(at) - answeredAtMs,
    }));
  return { wav, answeredAtMs, turns };
}

/**
 * The turns whose voice is not in their channel at their time: a turn of the assistant is noted when it begins, and one of the human when it is
 * over. Where a worker died while the assistant spoke, it is unknown how much was heard.
 */
export function withoutVoice(wav: Wav, turns: readonly Turn[]): string[] {
  const spanOf = (n: number): [number, number] => {
    const { role, atMs = 0 } = turns[n] ?? {};
    if (role === 'user') return [turns[n - 1]?.atMs ?? 0, atMs + TOLERANCE_MS];
    return [atMs - TOLERANCE_MS, turns[n + 1]?.atMs ?? wav.durationMs];
  };
  return turns.flatMap(({ role, content, interrupted }, n) => {
    if (role === 'agent' && interrupted === null) return [];
    const ms = wav.audibleMs(CHANNELS[role], ...spanOf(n));
    return ms >= content.length * MS_PER_CHARACTER ? [] : [`${role}: ${content} (${ms} ms)`];
  });
}

/** When one side is first heard from a time on. */
export function beginningOfVoice(wav: Wav, role: Role, fromMs = 0): number {
  let atMs = fromMs;
  while (atMs < wav.durationMs && wav.audibleMs(CHANNELS[role], atMs, atMs + BLOCK_MS) === 0)
    atMs += BLOCK_MS;
  return atMs;
}

/** How long one side was heard, and how much of that both were. */
export function heardMs(wav: Wav): { user: number; agent: number; both: number } {
  const heard = { user: 0, agent: 0, both: 0 };
  for (let atMs = 0; atMs < wav.durationMs; atMs += BLOCK_MS) {
    const [user, agent] = [0, 1].map((channel) => wav.audibleMs(channel, atMs, atMs + BLOCK_MS));
    if (user) heard.user += BLOCK_MS;
    if (agent) heard.agent += BLOCK_MS;
    if (user && agent) heard.both += BLOCK_MS;
  }
  return heard;
}
