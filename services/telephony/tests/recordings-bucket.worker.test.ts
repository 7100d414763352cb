import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { type BucketServer, bucketServer } from './bucket-server.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, FAST, finished, readCall } from './place-call.ts';

describe('recordings in an S3-compatible bucket', () => {
  let harness: Harness;
  let server: BucketServer;

  beforeAll(async () => {
    server = await bucketServer();
    harness = await startHarness({ ...FAST, ...server.env });
  });
  afterAll(async () => {
    await harness.close();
    await server.close();
  });

  const open = (url: string, init: RequestInit = {}) => {
    const { pathname, search } = new URL(url);
    return fetch(`${harness.url}${pathname}${search}`, init);
  };

  const talk = async (): Promise<Json> => {
    const number = await connectNumber(harness);
    const id = await callFrom(harness, number, anyNumber('4242'));
    return finished(harness, number.workspaceId, id);
  };

  it('[calls.12] have the same links, whole and in parts', async () => {
    const { recording_url: url, duration } = await talk();
    const answer = await open(url);
    const whole = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(whole.toString('latin1', 8, 16)).toBe('WAVEfmt ');
    expect(Math.ceil(whole.readUInt32LE(40) / 32_000)).toBe(duration);
    const part = await open(url, { headers: { range: 'bytes=4-11' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-11/${whole.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(4, 12))).toBe(true);
    const beyond = await open(url, { headers: { range: `bytes=${whole.length}-` } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
    const head = await open(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);
  });

  it('can have their transcripts fixed', async () => {
    const { workspace_id, id } = await talk();
    const { status, body } = await harness.ask(workspace_id, 'POST', `/v2/call/${id}/transcript/fix`);
    expect([status, body.data.enhanced_transcript]).toEqual([200, expect.stringContaining('Agent:')]);
  });

  it('are removed when their time is over', async () => {
    const { workspace_id, id } = await talk();
    expect(await server.keys()).toContain(`${id}.wav`);
    await harness.sql
      .$executeRaw`UPDATE calls SET ended_at = ended_at - interval '8 days' WHERE id = ${id}::uuid`;
    const worker = await harness.boot({ PROCESSES: 'worker', RECORDINGS_KEEP_DAYS: '7' });
    await eventually(async () =>
      expect((await readCall(harness, workspace_id, id)).recording_url).toBeNull(),
    );
    await worker.stop();
    expect(await server.keys()).not.toContain(`${id}.wav`);
  });

  it('[calls.23] wait while it is down: the call is analyzed with its link, which works once it is back', async () => {
    const stored = await talk();
    await server.stop();
    const late = await talk();
    expect(late).toMatchObject({ recording_sid: expect.stringMatching(/^RE/), summary: expect.any(String) });
    for (const { recording_url } of [stored, late]) {
      const answer = await open(recording_url);
      expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
    }
    const fix = await harness.ask(late.workspace_id, 'POST', `/v2/call/${late.id}/transcript/fix`);
    expect(fix.status).toBe(503);
    expect((await fetch(`${harness.url}/readyz`)).status).toBe(200);
    await server.goOn();
    await eventually(async () => expect((await open(late.recording_url)).status).toBe(200), {
      timeoutMs: 60_000,
    });
    const [message] = analyzed(harness, late.id);
    expect((await open(String(message?.data.recording_url))).status).toBe(200);
    await eventually(async () => {
      const { body } = await harness.ask(late.workspace_id, 'GET', `/v2/call/${late.id}/timeline`);
      expect(body.data.filter(({ type }: Json) => type === 'recording_stored')).toMatchObject([
        { recording_sid: late.recording_sid },
      ]);
    });
    expect(analyzed(harness, late.id)).toHaveLength(1);
  });

  it('[calls.23] that were announced, and are not stored yet, have links that say so', async () => {
    const { recording_url: url, id } = await talk();
    await server.bucket.remove(`${id}.wav`);
    expect((await open(url)).status).toBe(404);
    await harness.sql
      .$executeRaw`INSERT INTO recording_jobs (call_id, due_at) VALUES (${id}::uuid, clock_timestamp() + interval '1 year')`;
    const answer = await open(url);
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
    await harness.sql.$executeRaw`DELETE FROM recording_jobs WHERE call_id = ${id}::uuid`;
  });
});
