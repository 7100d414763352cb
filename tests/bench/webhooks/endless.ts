import { setTimeout as sleep } from 'node:timers/promises';
import { addEndpoints, addEvents } from './endpoints.ts';
import type { Stage, Usage } from './stage.ts';

const RECEIVERS = 256;
/** Longer than the timeout of an attempt, 12 s. */
const WATCHED_MS = 14_000;

/** Maximum additional memory of the service, in bytes, while all receivers send endless responses. */
export async function endlessBodies({ sql }: Stage, usage: Usage, ports: readonly number[]): Promise<number> {
  const endpoints = await addEndpoints(sql, ports.slice(0, RECEIVERS), {
    workspaces: 8,
    behaviorOf: () => 'endless',
  });
  const before = (await usage()).residentBytes;
  await addEvents(sql, endpoints);
  let most = before;
  const endsMs = performance.now() + WATCHED_MS;
  while (performance.now() < endsMs) {
    await sleep(500);
    most = Math.max(most, (await usage()).residentBytes);
  }
  return most - before;
}
