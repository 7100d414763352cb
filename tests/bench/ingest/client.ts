import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './stage.ts';

export type Answered = { data: Record<string, unknown> };

/** Sends a body in chunks, with backpressure. */
export async function upload({ gateway, key }: Stage, path: string, pieces: Buffer[]): Promise<Answered> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const req = request(`${gateway.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': length,
    },
  });
  const answer = new Promise<Answered>((resolve, reject) => {
    req.once('error', reject);
    req.once('response', async (res) => {
      let text = '';
      for await (const chunk of res) text += chunk;
      if (res.statusCode === 201) resolve(JSON.parse(text));
      else reject(new Error(`${res.statusCode} ${text.slice(0, 300)}`));
    });
  });
  await pipeline(pieces, req);
  return answer;
}

/** Milliseconds to the last byte of the response. */
export async function timeOf({ gateway, key }: Stage, path: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  for await (const _ of response.body ?? []);
  return performance.now() - start;
}

/** Durations of reads in milliseconds, and the number of failed ones. */
export type Reads = { times: number[]; failed: number };

/** Reads at a steady rate, independent of responses, until `work` is done. */
export async function readMeanwhile(
  stage: Stage,
  paths: string[],
  ratePerSecond: number,
  work: Promise<unknown>,
): Promise<Reads> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  const sent: Promise<number | undefined>[] = [];
  while (!isOver) {
    sent.push(timeOf(stage, paths[sent.length % paths.length] ?? '/').catch(() => undefined));
    await Promise.race([over, sleep(1000 / ratePerSecond)]);
  }
  const answered = await Promise.all(sent);
  const times = answered.filter((ms) => ms !== undefined);
  return { times, failed: answered.length - times.length };
}
