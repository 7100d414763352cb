import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { createRecordingLinks } from '../src/after-call/recordings/recording-links.ts';
import { callIn, inboundNumber } from './call-in.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { analyzed, callFrom, connectNumber, FAST, finished, readCall } from './place-call.ts';
import { seedCall } from './seed-call.ts';

const FRAME_BYTES = 4;
const RATE = 8_000;
const READER = { kind: 'key', id: 'any' } as const;

describe('recordings', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await startHarness(FAST);
  });
  afterAll(() => harness.close());

  /** Opens a link without a key. */
  const open = async (url: string, init: RequestInit = {}) => {
    const { pathname, search } = new URL(url);
    return fetch(`${harness.url}${pathname}${search}`, init);
  };

  const bytesOf = async (url: string): Promise<Buffer> => Buffer.from(await (await open(url)).arrayBuffer());

  const recorded = async (ending: string, settings: Record<string, unknown> = {}): Promise<Json> => {
    const number = await connectNumber(harness, { settings });
    const id = await callFrom(harness, number, anyNumber(ending));
    return finished(harness, number.workspaceId, id);
  };

  let ordinary: Promise<Json> | undefined;
  /** One ordinary call for all tests that only read it, with a newly signed link. */
  const ordinaryCall = async (): Promise<Json> => {
    ordinary ??= recorded('4242');
    const { workspace_id, id } = await ordinary;
    return readCall(harness, workspace_id, id);
  };

  describe('after RECORDINGS_KEEP_DAYS', () => {
    it('the file is removed, the call has no recording, and its transcript can no longer be fixed; others stay', async () => {
      const [old, recent] = await Promise.all([recorded('4242'), recorded('4242')]);
      await harness.sql
        .$executeRaw`UPDATE calls SET ended_at = ended_at - interval '8 days' WHERE id = ${old.id}::uuid`;
      const worker = await harness.boot({ PROCESSES: 'worker', RECORDINGS_KEEP_DAYS: '7' });
      await eventually(async () =>
        expect((await readCall(harness, old.workspace_id, old.id)).recording_url).toBeNull(),
      );
      await worker.stop();
      expect((await open(old.recording_url)).status).toBe(404);
      const fix = (call: Json) =>
        harness.ask(call.workspace_id, 'POST', `/v2/call/${call.id}/transcript/fix`);
      expect((await fix(old)).status).toBe(409);
      expect((await open(recent.recording_url)).status).toBe(200);
      expect((await fix(recent)).status).toBe(200);
    });
  });

  describe('of a call', () => {
    const secondsOf = (wav: Buffer): number => wav.readUInt32LE(40) / FRAME_BYTES / RATE;

    /** The loudest sample of a channel between two instants of the recording. */
    const loudest = (wav: Buffer, channel: 0 | 1, [from, to]: [number, number]): number => {
      let most = 0;
      for (let frame = Math.floor(from * RATE); frame < to * RATE; frame += 1) {
        most = Math.max(most, Math.abs(wav.readInt16LE(44 + frame * FRAME_BYTES + channel * 2)));
      }
      return most;
    };

    it('is a WAV file as long as the conversation: the human left, the assistant right', async () => {
      const call = await ordinaryCall();
      const wav = await bytesOf(call.recording_url);
      expect(wav.toString('latin1', 8, 16)).toBe('WAVEfmt ');
      expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([2, RATE, 16]);
      expect(Math.ceil(secondsOf(wav))).toBe(call.duration);
      // A turn of the assistant has the time of its beginning, one of the human that of its end.
      const first = (role: string): number => {
        const turn = analyzed(harness, call.id)[0]?.data.transcript.find((item) => item.role === role);
        return (Date.parse(turn?.timestamp ?? '') - Date.parse(call.answered_at)) / 1000;
      };
      const [human, assistant] = [first('user'), first('agent')];
      expect(loudest(wav, 1, [assistant, assistant + 0.4])).toBeGreaterThan(1_000);
      expect(loudest(wav, 1, [0, assistant - 0.01])).toBe(0);
      expect(loudest(wav, 0, [human - 0.6, human])).toBeGreaterThan(1_000);
      expect(loudest(wav, 0, [0, Math.max(0, human - 3)])).toBe(0);
    });

    it('has a recording_sid in reads and call_analyzed, and an entry in the timeline', async () => {
      const call = await ordinaryCall();
      expect(call.recording_sid).toMatch(/^RE[0-9a-f]{32}$/);
      const [message] = analyzed(harness, call.id);
      expect(message?.data.recording_sid).toBe(call.recording_sid);
      expect((await open(String(message?.data.recording_url))).status).toBe(200);
      const { body } = await harness.ask(call.workspace_id, 'GET', `/v2/call/${call.id}/timeline`);
      expect(body.data.slice(-2)).toMatchObject([
        { type: 'recording_stored', recording_sid: call.recording_sid, seconds: call.duration },
        { type: 'analyzed' },
      ]);
      expect(body.data.at(-2).bytes).toBe((await bytesOf(call.recording_url)).length);
    });

    it('is created for an inbound call', async () => {
      const number = await inboundNumber(harness);
      const id = await callIn(harness, number, { script: ['Hello, are you open on Sundays?'] });
      const call = await finished(harness, number.workspaceId, id);
      const wav = await bytesOf(call.recording_url);
      const heard = ([0, 1] as const).map((channel) => loudest(wav, channel, [0, secondsOf(wav)]));
      expect(Math.min(...heard)).toBeGreaterThan(1_000);
    });

    it('is created for a web call', async () => {
      const workspaceId = newWorkspace();
      const { agent_id } = harness.peers.addAgent(workspaceId, {});
      const session = (path: string, token: string) =>
        harness.ask('', 'POST', `/widget/session/${path}`, {
          token: false,
          headers: { 'x-access-token': token },
        });
      // A minute passes quickly here: a request that is too late places another call.
      const { id, access_token } = await eventually(async () => {
        const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/web', { body: { agent_id } });
        expect((await session('join', body.data.access_token)).status).toBe(200);
        return body.data;
      });
      await eventually(async () =>
        expect((await readCall(harness, workspaceId, id)).status).toBe('in-progress'),
      );
      await session('leave', access_token);
      const call = await finished(harness, workspaceId, id);
      expect((await open(call.recording_url)).headers.get('content-type')).toBe('audio/wav');
    });

    it('is created for a voicemail too, which counts as answered', async () => {
      expect((await recorded('0003')).recording_url).not.toBeNull();
    });

    it.each([
      ['settings.recording.enabled is false', '4242', { recording: { enabled: false } }],
      ['nobody answered', '0002', {}],
    ])('is not created when %s', async (_, ending, settings) => {
      const call = await recorded(ending, settings);
      expect(call).toMatchObject({ recording_url: null, recording_sid: null });
      expect(analyzed(harness, call.id)[0]?.data).toMatchObject({ recording_url: null, recording_sid: null });
    });

    it('is not created unless the configuration allows it', async () => {
      const workspaceId = newWorkspace();
      const { id } = await seedCall(harness.sql, workspaceId);
      await harness.sql
        .$executeRaw`INSERT INTO recording_jobs (call_id, due_at) SELECT id, ended_at FROM calls WHERE id = ${id}::uuid`;
      expect(await finished(harness, workspaceId, id)).toMatchObject({ recording_url: null });
    });

    it('leaves no job behind', async () => {
      await ordinaryCall();
      await eventually(async () => {
        expect(await harness.sql.$queryRaw<unknown[]>`SELECT * FROM recording_jobs`).toEqual([]);
      });
    });
  });

  describe('[calls.12] recording_url is valid for an hour, and every read signs a new one', () => {
    const linksAt = (now: Date) =>
      createRecordingLinks({
        publicUrl: harness.env.PUBLIC_URL ?? '',
        secrets: [harness.env.RECORDING_URL_SECRET ?? ''],
        clock: { ...createClock({ rate: 1, originMs: 0 }), now: () => now },
      });
    const hoursFromNow = (hours: number): Date =>
      new Date(harness.context.clock.now().getTime() + hours * 3_600_000);
    let call: Json;
    beforeAll(async () => {
      call = await ordinaryCall();
    });

    it('is valid for seven days in call_analyzed, whose payload is fixed', async () => {
      const [message] = analyzed(harness, call.id);
      const told = new URL(String(message?.data.recording_url));
      expect((await open(told.href)).status).toBe(200);
      const query = Object.fromEntries(told.searchParams) as { expires: string; signature: string };
      const madeMs = Date.parse(String(message?.occurred_at));
      const days = (count: number) => new Date(madeMs + count * 24 * 3_600_000);
      const works = (at: Date) => linksAt(at).verify(`${call.id}.wav`, query);
      expect([works(days(6.99)), works(days(7.01))]).toEqual([true, false]);
    });

    it('differs at each read, and earlier ones stay valid', async () => {
      const before = call.recording_url;
      await eventually(async () => {
        const { body } = await harness.ask(call.workspace_id, 'GET', `/v2/call/${call.id}`);
        expect(body.data.recording_url).not.toBe(before);
      });
      expect((await open(before)).status).toBe(200);
    });

    it('is 403 after an hour, with a foreign signature, and without one', async () => {
      const key = `${call.id}.wav`;
      const base = `https://parley.example/recordings/${key}`;
      for (const url of [
        linksAt(hoursFromNow(-1.01)).signerFor(READER).sign(key),
        call.recording_url.replace(/signature=(.)/, (_: string, first: string) =>
          first === 'A' ? 'signature=B' : 'signature=A',
        ),
        call.recording_url.replace(key, `${newWorkspace()}.wav`),
        base,
        `${base}?expires=99999999999&expires=99999999999&signature=x`,
      ]) {
        const answer = await open(url);
        expect([answer.status, ((await answer.json()) as Json).error.code]).toEqual([403, 'FORBIDDEN']);
      }
    });

    it('is 404 for a removed recording and for a malformed name', async () => {
      const gone = linksAt(hoursFromNow(0)).signerFor(READER).sign(`${newWorkspace()}.wav`);
      expect((await open(gone)).status).toBe(404);
      const outside = 'https://parley.example/recordings/..%2F..%2Fetc%2Fpasswd?expires=1&signature=x';
      expect((await open(outside)).status).toBe(404);
    });

    it('answers Range with 206 or 416, and HEAD without the bytes', async () => {
      const whole = await bytesOf(call.recording_url);
      const part = await open(call.recording_url, { headers: { range: 'bytes=4-11' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-11/${whole.length}`]);
      expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(4, 12))).toBe(true);
      const beyond = await open(call.recording_url, { headers: { range: `bytes=${whole.length}-` } });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
      const head = await open(call.recording_url, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length'), head.headers.get('content-type')]).toEqual([
        200,
        String(whole.length),
        'audio/wav',
      ]);
    });

    it('is in the audit log when it is opened, once, by whom the link was made for [trust.27]', async () => {
      const { workspace_id, id } = await recorded('4242');
      const member = { kind: 'member', id: newWorkspace(), role: 'viewer' } as const;
      const read = await harness.ask(workspace_id, 'GET', `/v2/call/${id}`, { actor: member });
      const url: string = read.body.data.recording_url;
      const entries = () =>
        harness.bus.received('audit.recorded').filter(({ data }) => data.target.id === id);
      await open(url, { method: 'HEAD' });
      const headers = { 'x-parley-address': '203.0.113.9' };
      await Promise.all(
        [4, 8].map(async (from) =>
          (await open(url, { headers: { ...headers, range: `bytes=${from}-` } })).arrayBuffer(),
        ),
      );
      await (await open(url, { headers })).arrayBuffer();
      await eventually(() => expect(entries()).not.toEqual([]));
      const [message] = analyzed(harness, id);
      await (await open(String(message?.data.recording_url))).arrayBuffer();
      await eventually(() =>
        expect(
          entries().map(({ data: { action, actor, address } }) => [action, actor.kind, actor.id, address]),
        ).toEqual([
          ['recording.read', 'member', member.id, '203.0.113.9'],
          ['recording.read', 'service', 'link of call_analyzed', null],
        ]),
      );
      expect(entries()[0]?.workspace_id).toBe(workspace_id);
    });

    it('is null in reads of a call without one', async () => {
      const workspaceId = newWorkspace();
      const { id } = await seedCall(harness.sql, workspaceId);
      const { body } = await harness.ask(workspaceId, 'GET', `/v2/call/${id}`);
      expect(body.data).toMatchObject({ recording_url: null, recording_sid: null });
    });
  });
});
