import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import type { Analyzer } from '../src/after-call/analysis/ports.ts';
import { startWorker } from '../src/start-worker.ts';
import { type Harness, newWorkspace, startHarness } from './harness.ts';
import { analyzed, readCall } from './place-call.ts';
import { seedCall } from './seed-call.ts';

/** Three hours of stack time in nine seconds: too fast for calls, but not for analyses. */
const RATE = 1_200;
const WINDOW_MS = 3 * 3_600_000;

describe('[calls.13] call_analyzed: up to 3 hours if generation fails', () => {
  let harness: Harness;
  let attempts: Date[] = [];
  let worksAfterMs = Number.POSITIVE_INFINITY;
  let endedAt: Date;

  const analyzer: Analyzer = {
    analyze: async () => {
      const now = harness.context.clock.now();
      attempts.push(now);
      if (now.getTime() - endedAt.getTime() < worksAfterMs) throw new Error('no answer');
      return { summary: 'They spoke.', data: {} };
    },
  };

  beforeAll(async () => {
    harness = await startHarness({ CLOCK_RATE: String(RATE) });
    await startWorker(harness.context, harness.context.lifecycle, { analyzer });
  });
  afterAll(() => harness.close());

  /** A conversation that has just ended. */
  const endCall = async (): Promise<{ id: string; workspaceId: string }> => {
    attempts = [];
    endedAt = harness.context.clock.now();
    const workspaceId = newWorkspace();
    const times = { created_at: endedAt, answered_at: endedAt, ended_at: endedAt };
    const { id } = await seedCall(harness.sql, workspaceId, times);
    await harness.sql
      .$executeRaw`INSERT INTO turns (call_id, seq, role, content, at) VALUES (${id}::uuid, 0, 'user', 'Hello', ${endedAt}::timestamptz)`;
    await harness.sql.$executeRaw`UPDATE calls SET analysis_due_at = ended_at WHERE id = ${id}::uuid`;
    return { id, workspaceId };
  };

  const told = (id: string) =>
    eventually(() => {
      const [message] = analyzed(harness, id);
      if (!message) throw new Error('not analyzed');
      return message;
    });

  it('is sent with the available data if generation still fails after 3 hours', async () => {
    const { id, workspaceId } = await endCall();
    const message = await told(id);
    expect(message.data).toMatchObject({ summary: null, analysis_data: null });
    expect(message.data.transcript).toHaveLength(1);
    expect(Date.parse(message.occurred_at) - endedAt.getTime()).toBeGreaterThanOrEqual(WINDOW_MS);
    const last = attempts.at(-1)?.getTime() ?? 0;
    // Until the end of the window, not only until the last step of the backoff within it.
    expect(last - endedAt.getTime()).toBeGreaterThanOrEqual(WINDOW_MS);
    expect(attempts.length).toBeGreaterThan(3);
    const { body } = await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`);
    expect(body.data.at(-1)).toMatchObject({ type: 'analyzed', complete: false });
  });

  it('is sent as soon as generation succeeds within the 3 hours, and once', async () => {
    worksAfterMs = WINDOW_MS / 3;
    const { id, workspaceId } = await endCall();
    const message = await told(id);
    expect(message.data.summary).toBe('They spoke.');
    expect(Date.parse(message.occurred_at) - endedAt.getTime()).toBeLessThan(WINDOW_MS);
    expect(await readCall(harness, workspaceId, id)).toMatchObject({ summary: 'They spoke.' });
    const before = attempts.length;
    // Longer than the longest step of the backoff.
    await harness.context.clock.sleep(20 * 60_000);
    expect([attempts.length, analyzed(harness, id).length]).toEqual([before, 1]);
  });
});
