import { describe, expect, it } from '@jest/globals';
import { type FailedEvent, retryFailed, type Tally } from './retry-failed.ts';

const URL = 'https://example.com/hook';
const ok = { ok: true, reason: 'delivered' };
const refused = { ok: false, reason: 'http_error' };
const never = new AbortController().signal;

/** Newest first: `count` calls, each with one event. */
const calls = (count: number, url: string | null = URL): FailedEvent[] =>
  Array.from({ length: count }, (_, i) => ({ call_id: `call ${count - i}`, event: 'call_ended', url }));

/** Runs it with a receiver, and returns the calls in the order of their requests and the last progress. */
async function run(
  events: readonly FailedEvent[],
  answer: (callId: string) => typeof ok | undefined,
  signal = never,
) {
  const sent: string[] = [];
  let tally: Tally | undefined;
  const down = await retryFailed({
    events,
    signal,
    apartMs: 0,
    resend: async (callId, names) => {
      sent.push(`${callId}: ${names.join(' ')}`);
      await Promise.resolve();
      const result = answer(callId);
      return result && Object.fromEntries(names.map((name) => [name, result]));
    },
    onProgress: (now) => {
      tally = now;
    },
  });
  return { sent, tally, down };
}

describe('retrying all failed events [dashboard.74]', () => {
  it('sends each call once with all its events, the oldest first', async () => {
    const two: FailedEvent[] = [
      { call_id: 'new', event: 'call_analyzed', url: URL },
      { call_id: 'old', event: 'call_analyzed', url: URL },
      { call_id: 'old', event: 'call_ended', url: URL },
    ];
    const { sent, tally, down } = await run(two, () => ok);
    expect(sent).toEqual(['old: call_ended call_analyzed', 'new: call_analyzed']);
    expect(tally).toEqual({ total: 3, delivered: 3, failed: 0, skipped: 0 });
    expect(down).toEqual([]);
  });

  it('has at most four requests at once', async () => {
    let [running, most] = [0, 0];
    await retryFailed({
      events: calls(20),
      signal: never,
      apartMs: 0,
      onProgress: () => undefined,
      resend: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running -= 1;
        return { call_ended: ok };
      },
    });
    expect(most).toBe(4);
  });

  it('leaves requests to the pages of the person [general.27]', async () => {
    const beganMs = performance.now();
    await retryFailed({
      events: calls(5),
      signal: never,
      apartMs: 20,
      onProgress: () => undefined,
      resend: async () => ({ call_ended: ok }),
    });
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(75);
  });

  it('sends no more to an endpoint that refuses five in a row, and goes on with others', async () => {
    const dead = 'https://dead.example.com/';
    const events = calls(30, dead).map((event) => ({ ...event, call_id: `dead ${event.call_id}` }));
    const { sent, tally, down } = await run([...events, ...calls(10)], (callId) =>
      callId.startsWith('dead') ? refused : ok,
    );
    // Those that were on their way with the fifth included.
    expect(sent.filter((call) => call.startsWith('dead')).length).toBeLessThanOrEqual(8);
    expect(tally).toMatchObject({ total: 40, delivered: 10 });
    expect((tally?.failed ?? 0) + (tally?.skipped ?? 0)).toBe(30);
    expect(down).toEqual([dead]);
  });

  it('does not stop for single refusals', async () => {
    const { tally, down } = await run(calls(20), (callId) => (callId.endsWith('0') ? ok : refused));
    expect(tally?.skipped).toBeGreaterThan(0);
    expect(down).toEqual([URL]);
    const often = await run(calls(20), (callId) => (Number(callId.slice(5)) % 4 === 0 ? ok : refused));
    expect(often.tally).toEqual({ total: 20, delivered: 5, failed: 15, skipped: 0 });
  });

  it('counts what cannot be sent, and asks for nothing without a URL', async () => {
    expect((await run(calls(3, null), () => ok)).sent).toEqual([]);
    const { tally } = await run(calls(2), (callId) =>
      callId === 'call 1' ? undefined : { ok: false, reason: 'no_webhook_url' },
    );
    expect(tally).toEqual({ total: 2, delivered: 0, failed: 0, skipped: 2 });
  });

  it('stops when it is told to, or when the platform fails', async () => {
    const stop = new AbortController();
    const { sent } = await run(
      calls(50),
      () => {
        stop.abort();
        return ok;
      },
      stop.signal,
    );
    expect(sent.length).toBeLessThanOrEqual(4);
    const asked: string[] = [];
    const failing = retryFailed({
      events: calls(50),
      signal: never,
      apartMs: 0,
      onProgress: () => undefined,
      resend: (callId) => {
        asked.push(callId);
        return Promise.reject(new Error('the platform cannot be reached'));
      },
    });
    await expect(failing).rejects.toThrow('the platform cannot be reached');
    expect(asked.length).toBeLessThanOrEqual(4);
  });
});
