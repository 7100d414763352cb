import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { SpeechError, type SpeechToText } from '@parley/speech';
import { eventually } from '@parley/testkit';
import { createSnapshotArchive } from '../src/assistants/snapshot-archive.store.ts';
import type { FindHearing } from '../src/speech/find-speech.ts';
import { startWorker } from '../src/start-worker.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { analyzed, FAST, finished, readCall } from './place-call.ts';
import { seedCall } from './seed-call.ts';

const RATE = 8_000;

/** Transcribes each utterance to its level. */
const doubleEars = (fail: () => SpeechError | undefined): SpeechToText => ({
  name: 'double-ears',
  sampleRate: RATE,
  open: ({ onResult, onError, language }) => {
    let peak = 0;
    return {
      push: (samples) => {
        for (const sample of samples) peak = Math.max(peak, sample);
      },
      flush: async () => {
        const failure = fail();
        if (failure) onError(failure);
        else
          onResult({
            text: `${language} ${Math.round(peak / 1_000)}`,
            isFinal: true,
            confidence: 1,
            startMs: 0,
            endMs: 0,
          });
        peak = 0;
      },
      close: () => {},
    };
  },
});

describe('[calls.22] the transcript of a call with audio is rebuilt from its recording', () => {
  let harness: Harness;
  let findHearing: FindHearing;
  let failure: SpeechError | undefined;
  beforeAll(async () => {
    harness = await startHarness({ ...FAST, PROCESSES: 'api' });
    await startWorker(harness.context, harness.context.lifecycle, {
      findHearing: (choice) => findHearing(choice),
    });
  });
  afterAll(() => harness.close());

  /** Sounds like voices on both channels. */
  function recording(): Buffer {
    const seconds = 8;
    const wav = Buffer.alloc(44 + seconds * RATE * 4);
    wav.write('RIFF', 0, 'latin1');
    wav.write('WAVEfmt ', 8, 'latin1');
    wav.writeUInt32LE(wav.length - 8, 4);
    wav.writeUInt32LE(16, 16);
    wav.writeUInt16LE(1, 20);
    wav.writeUInt16LE(2, 22);
    wav.writeUInt32LE(RATE, 24);
    wav.writeUInt32LE(RATE * 4, 28);
    wav.writeUInt16LE(4, 32);
    wav.writeUInt16LE(16, 34);
    wav.write('data', 36, 'latin1');
    wav.writeUInt32LE(wav.length - 44, 40);
    const say = (channel: 0 | 1, [from, to]: [number, number], level: number): void => {
      for (let n = from * RATE; n < to * RATE; n += 1) {
        const pitch = (n * 120) / RATE;
        const pulse = (pitch % 1) * 2 - 1;
        const syllable = 0.6 + 0.4 * Math.sin((2 * Math.PI * 4 * n) / RATE);
        wav.writeInt16LE(Math.round(level * pulse * syllable), 44 + n * 4 + channel * 2);
      }
    };
    say(1, [0.5, 1.5], 5_000);
    say(0, [3, 4], 9_000);
    say(1, [5.5, 7], 13_000);
    return wav;
  }

  const audioCall = async (workspaceId = newWorkspace()): Promise<Json> => {
    const { prisma, secrets, clock, recordings } = harness.context;
    const snapshot = harness.peers.addAgent(workspaceId, { config: { language: 'de-DE' } });
    await createSnapshotArchive({ prisma, secrets, clock }).keep(snapshot);
    const endedAt = clock.now();
    const answeredAt = new Date(endedAt.getTime() - 8_000);
    const call = await seedCall(harness.sql, workspaceId, {
      agent_id: snapshot.agent_id,
      agent_version: snapshot.version,
      created_at: answeredAt,
      started_at: answeredAt,
      answered_at: answeredAt,
      ended_at: endedAt,
      duration: 8,
      analysis_due_at: endedAt,
    });
    const wav = recording();
    const bytes = (async function* () {
      yield wav;
    })();
    await recordings.put(`${call.id}.wav`, { length: wav.length, bytes }, new AbortController().signal);
    await harness.sql.$executeRaw`
      UPDATE calls SET recording_key = ${`${call.id}.wav`}, recording_sid = 'RE1' WHERE id = ${call.id}::uuid`;
    await finished(harness, workspaceId, call.id);
    return { id: call.id, workspaceId, answeredAt };
  };

  const fix = ({ id, workspaceId }: Json) =>
    harness.ask(workspaceId, 'POST', `/v2/call/${id}/transcript/fix`);
  const failures = async ({ id, workspaceId }: Json): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data.filter(
      ({ type }: Json) => type === 'transcription_failed',
    );

  it('by channel and in order of time, and sent as a new edition', async () => {
    findHearing = async () => doubleEars(() => undefined);
    const call = await audioCall();
    const { status, body } = await fix(call);
    expect([status, body.data.transcript_fix_count]).toEqual([200, 1]);
    const lines = body.data.enhanced_transcript.split('\n').map((line: string) => {
      const [, at = '', rest] = /^\[(\S+)\] (.+)$/.exec(line) ?? [];
      return [Math.round((Date.parse(at) - call.answeredAt.getTime()) / 250) / 4, rest];
    });
    expect(lines.map(([, text]: Json) => text.replace(/\d+$/, ''))).toEqual([
      'Agent: de-DE ',
      'User: de-DE ',
      'Agent: de-DE ',
    ]);
    expect(lines.map(([at]: Json) => Math.floor(at * 2) / 2)).toEqual([0.5, 3, 5.5]);
    await eventually(() => expect(analyzed(harness, call.id)).toHaveLength(2));
    expect(analyzed(harness, call.id)[1]?.data.transcript).toHaveLength(3);
    expect(await failures(call)).toEqual([]);
  });

  it('is waited for by at most eight requests of a workspace, which occupy nothing of others [trust.1]', async () => {
    let arrive = (): void => {};
    const provided = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    findHearing = async () => {
      await provided;
      return doubleEars(() => undefined);
    };
    const workspaceId = newWorkspace();
    const calls = [await audioCall(workspaceId), await audioCall(workspaceId)];
    const ofAnother = await audioCall();
    const waiting = [0, 0, 0, 0, 1, 1, 1, 1].map((n) => fix(calls[n]));
    await eventually(async () => {
      const [{ count } = { count: 0 }] = await harness.sql.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM transcription_jobs WHERE workspace_id = ${workspaceId}::uuid`;
      expect(count).toBe(2);
    });
    const refused = await fix(calls[0]);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = fix(ofAnother);
    arrive();
    expect((await other).status).toBe(200);
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses).toEqual(Array(8).fill(200));
    // One transcription for all requests that waited for it.
    for (const { id } of calls)
      expect((await readCall(harness, workspaceId, id)).transcript_fix_count).toBe(1);
  });

  it('stays as it is without a provider, and the response and the timeline say why', async () => {
    findHearing = async () => undefined;
    const call = await audioCall();
    const { status, body } = await fix(call);
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(body.error.message).toContain('no provider that recognizes speech is configured');
    expect(await readCall(harness, call.workspaceId, call.id)).toMatchObject({
      enhanced_transcript: null,
      transcript_fix_count: 0,
    });
    expect(await failures(call)).toMatchObject([{ message: expect.stringContaining('no provider') }]);
    // Works once a provider is configured.
    findHearing = async () => doubleEars(() => undefined);
    expect((await fix(call)).status).toBe(200);
  });

  describe('is 409 CONFLICT, and nothing is saved, if meanwhile', () => {
    const fixDuring = async (change: (call: Json) => Promise<unknown>) => {
      const [begun, changed] = [createDeferred<void>(), createDeferred<void>()];
      findHearing = async () => {
        begun.resolve();
        await changed.promise;
        return doubleEars(() => undefined);
      };
      const call = await audioCall();
      const answer = fix(call);
      await begun.promise;
      await change(call);
      changed.resolve();
      const { status, body } = await answer;
      expect([status, body.error?.code]).toEqual([409, 'CONFLICT']);
      expect(await readCall(harness, call.workspaceId, call.id)).toMatchObject({
        enhanced_transcript: null,
        transcript_fix_count: 0,
      });
      expect(analyzed(harness, call.id)).toHaveLength(1);
      return { call, message: body.error.message };
    };

    it('the recording is replaced under the same key', async () => {
      const { call, message } = await fixDuring(
        ({ id }) => harness.sql.$executeRaw`UPDATE calls SET recording_sid = 'RE2' WHERE id = ${id}::uuid`,
      );
      expect(message).toContain('the recording was removed');
      expect(await failures(call)).toMatchObject([
        { error: expect.stringContaining('the recording was removed') },
      ]);
    });

    it('the call is erased', async () => {
      const { call, message } = await fixDuring(async ({ id }) => {
        await harness.sql
          .$executeRaw`UPDATE calls SET recording_key = NULL, recording_sid = NULL WHERE id = ${id}::uuid`;
        await harness.sql.$executeRaw`DELETE FROM transcription_jobs WHERE call_id = ${id}::uuid`;
      });
      expect(message).toContain('no recording');
      expect(await failures(call)).toEqual([]);
    });
  });

  it('says at once what no repetition will change', async () => {
    findHearing = async () => doubleEars(() => new SpeechError('double-ears', 'request', 'no such model'));
    const { status, body } = await fix(await audioCall());
    expect([status, body.error.message.includes('(request)')]).toEqual([409, true]);
  });

  it('is tried again with backoff while the provider fails, like an analysis', async () => {
    failure = new SpeechError('double-ears', 'rate_limit', 'too many requests');
    let tries = 0;
    findHearing = async () =>
      doubleEars(() => {
        tries += 1;
        return failure;
      });
    const call = await audioCall();
    const answer = fix(call);
    await eventually(() => expect(tries).toBeGreaterThanOrEqual(2));
    failure = undefined;
    expect((await answer).body.data).toMatchObject({ transcript_fix_count: 1 });
    expect(await failures(call)).toEqual([]);
  });

  it('gives up after three hours', async () => {
    findHearing = async () => doubleEars(() => new SpeechError('double-ears', 'unavailable', 'down'));
    const call = await audioCall();
    const now = harness.context.clock.now();
    await harness.sql.$executeRaw`
      INSERT INTO transcription_jobs (call_id, workspace_id, requested_at, due_at)
      VALUES (${call.id}::uuid, ${call.workspaceId}::uuid, ${now}::timestamptz - interval '4 hours', ${now}::timestamptz)`;
    await eventually(async () =>
      expect(await failures(call)).toMatchObject([{ error: expect.stringContaining('(unavailable)') }]),
    );
  });
});
