import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { WebSocket } from 'ws';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { timelineOf } from './call-in.ts';
import { type Harness, type Json, newWorkspace, startHarness, startSpokenWorker } from './harness.ts';
import { finished, nativeTool, publishedEventsOf } from './place-call.ts';
import { speechOf } from './speech-doubles.ts';
import { type TestBrowser, testBrowser } from './web-browser.ts';

const LONG = { timeoutMs: 60_000 };
const PORTS = { WEB_UDP_PORTS: '21000-21999' };

describe('a web call that people hear', () => {
  let harness: Harness;
  let findSpeech: FindSpeech = speechOf([]);
  let worker: Lifecycle;
  const open: { close(): unknown }[] = [];

  beforeAll(async () => {
    harness = await startHarness({ PROCESSES: 'api', CLOCK_RATE: '1', ...PORTS });
    worker = await startSpokenWorker(harness, (config) => findSpeech(config));
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  afterAll(async () => {
    await worker?.stop('test');
    await harness.close();
  });

  type WebCall = { id: string; workspaceId: string; token: string; participant: string };
  const started = async (lines: string[], agent: Json = {}): Promise<WebCall> => {
    findSpeech = speechOf(lines);
    const workspaceId = newWorkspace();
    const { agent_id } = harness.peers.addAgent(workspaceId, {
      config: { firstMessage: 'Hello there, this is Ada.' },
      ...agent,
    });
    const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/web', { body: { agent_id } });
    const participant = randomBytes(16).toString('base64url');
    return { id: body.data.id, workspaceId, token: body.data.access_token, participant };
  };
  const session = ({ token }: Pick<WebCall, 'token'>, method: string, path = '', body?: object) =>
    harness.ask('', method, `/widget/session${path}`, {
      token: false,
      headers: { 'x-access-token': token },
      ...(body ? { body } : {}),
    });
  const offer = async (call: WebCall, changes: object = {}) => {
    const browser = await testBrowser();
    open.push(browser);
    const { participant } = call;
    const body = { sdp: await browser.offer(), participant, ...changes };
    return { browser, answer: await session(call, 'POST', '/offer', body) };
  };
  const joined = async (call: WebCall): Promise<TestBrowser> => {
    const { browser, answer } = await offer(call);
    expect(answer.body).toMatchObject({ data: { sdp: expect.stringContaining('a=ice-lite') } });
    await browser.accept(answer.body.data.sdp);
    await browser.connected();
    return browser;
  };
  const turnsOf = async (call: WebCall): Promise<[string, string][]> =>
    (await session(call, 'GET', '/messages')).body.data.messages.map(({ role, content }: Json) => [
      role,
      content,
    ]);
  const untilSaid = (call: WebCall, count: number) =>
    eventually(async () => {
      const turns = await turnsOf(call);
      expect(turns.length).toBeGreaterThanOrEqual(count);
      return turns;
    }, LONG);
  const leave = async (call: WebCall): Promise<Json> => {
    await session(call, 'POST', '/leave');
    return finished(harness, call.workspaceId, call.id);
  };

  it('says whether it can be spoken, and where it can be joined [web-calls.4]', async () => {
    const call = await started([]);
    const { body } = await session(call, 'GET');
    expect(body.data).toEqual({
      call_id: call.id,
      status: 'queued',
      disconnection_reason: null,
      audio: true,
      ice_servers: [],
    });
  });

  it('is a conversation over WebRTC: sound, turns, keys, text, a recording and its events [web-calls.5]', async () => {
    const call = await started(['My name is Grace.'], { tools: [nativeTool('end_call')] });
    const browser = await joined(call);
    await untilSaid(call, 1);
    await eventually(() => expect(browser.heardMs()).toBeGreaterThan(500), LONG);
    await browser.speak(1_200);
    await untilSaid(call, 3);
    for (const digits of ['4', '2', '#']) browser.send(JSON.stringify({ type: 'dtmf', digits }));
    await untilSaid(call, 5);
    await session(call, 'POST', '/messages', { text: 'I write this.' });
    const turns = await untilSaid(call, 7);
    expect(turns.filter(([role]) => role === 'user')).toEqual([
      ['user', 'My name is Grace.'],
      ['user', 'Pressed 4 2.'],
      ['user', 'I write this.'],
    ]);
    await eventually(() => {
      const shown = browser.updates
        .filter(({ type }) => type === 'turn')
        .map(({ role, text }) => [role, text]);
      for (const turn of turns) expect(shown).toContainEqual(turn);
    });
    await session(call, 'POST', '/messages', { text: 'Please end this call.' });
    const ended = await eventually(() => finished(harness, call.workspaceId, call.id), LONG);
    expect(ended).toMatchObject({
      disconnection_reason: 'agent_hangup',
      call_sid: null,
      recording_url: expect.any(String),
    });
    expect(ended.cost).toBeGreaterThan(0);
    const timeline = await timelineOf(harness, call.workspaceId, call.id);
    expect(timeline.filter(({ type }) => type === 'dtmf')).toMatchObject([{ digits: '42' }]);
    await eventually(() => expect(browser.updates.map(({ type }) => type)).toContain('ended'));
    const tools = browser.updates
      .filter(({ type }) => type === 'tool')
      .map(({ name, status }) => [name, status]);
    expect(tools).toEqual([
      ['end_call', 'running'],
      ['end_call', 'done'],
    ]);
    await eventually(() =>
      expect(publishedEventsOf(harness, call.id)).toEqual(['call.started', 'call.ended', 'call.analyzed']),
    );
  });

  it('is reconnected to by its participant, and by nobody else [web-calls.5]', async () => {
    const call = await started(['One.', 'Two.']);
    const first = await joined(call);
    await untilSaid(call, 1);
    first.cut();
    const other = await offer(call, { participant: randomBytes(16).toString('base64url') });
    expect([other.answer.status, other.answer.body.error.code]).toEqual([409, 'CONFLICT']);
    const second = await joined(call);
    const before = second.heardMs();
    await second.speak(1_000);
    expect((await untilSaid(call, 3))[1]).toEqual(['user', expect.stringMatching(/^One\./)]);
    await eventually(() => expect(second.heardMs()).toBeGreaterThan(before), LONG);
    expect((await leave(call)).disconnection_reason).toBe('user_hangup');
    const late = await offer(call);
    expect([late.answer.status, late.answer.body.error.message]).toEqual([409, 'The call is over']);
  });

  it('goes on in another worker when its own stops [web-calls.5]', async () => {
    const call = await started(['One.', 'Two.']);
    const browser = await joined(call);
    await untilSaid(call, 1);
    const next = await startSpokenWorker(harness, (config) => findSpeech(config));
    await worker.stop('another one takes over');
    worker = next;
    // Else it would not come back.
    expect(browser.updates.map(({ type }) => type)).not.toContain('ended');
    const again = await eventually(() => joined(call), LONG);
    await again.speak(1_000);
    // A greeting that was cut off is said again first.
    const heard = ['user', expect.stringMatching(/^One\./)];
    await eventually(async () => expect(await untilSaid(call, 3)).toContainEqual(heard), LONG);
    await leave(call);
  });

  it('ends when its visitor does not come back within 20 seconds [web-calls.5]', async () => {
    const call = await started([]);
    const browser = await joined(call);
    await untilSaid(call, 1);
    const atMs = performance.now();
    browser.cut();
    expect(
      (await eventually(() => finished(harness, call.workspaceId, call.id), LONG)).disconnection_reason,
    ).toBe('user_hangup');
    expect(performance.now() - atMs).toBeGreaterThan(19_000);
  });

  const socketOf = async (call: WebCall, changes: Partial<WebCall> = {}): Promise<WebSocket> => {
    const { token, participant } = { ...call, ...changes };
    const url = `${harness.url.replace('http', 'ws')}/widget/session/audio`;
    const socket = new WebSocket(url, ['parley-audio', token, participant]);
    open.push({ close: () => socket.terminate() });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_, { statusCode }) =>
        reject(new Error(`refused with ${statusCode}`)),
      );
      socket.once('error', reject);
    });
    return socket;
  };

  it('is carried by a WebSocket where WebRTC does not come up [web-calls.8]', async () => {
    const call = await started(['My name is Grace.']);
    const { answer } = await offer(call);
    expect(answer.status).toBe(200);
    await expect(socketOf(call, { participant: 'x'.repeat(22) })).rejects.toThrow('refused with 409');
    await expect(socketOf(call, { token: 'a.b' })).rejects.toThrow('refused with 401');
    const socket = await socketOf(call);
    const heard = { bytes: 0, updates: [] as Json[] };
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) heard.bytes += data.some((byte) => byte > 1 && byte < 255) ? data.length : 0;
      else heard.updates.push(JSON.parse(data.toString()));
    });
    await untilSaid(call, 1);
    await eventually(() => expect(heard.bytes).toBeGreaterThan(20_000), LONG);
    const frame = (amplitude: number) =>
      Buffer.from(
        Int16Array.from({ length: 480 }, (_, n) =>
          Math.round(amplitude * Math.sin((2 * Math.PI * 440 * n) / 24_000)),
        ).buffer,
      );
    let frames = 0;
    const timer = setInterval(() => {
      frames += 1;
      socket.send(frame(frames < 60 ? 9_000 : 0));
    }, 20);
    const turns = await untilSaid(call, 3);
    clearInterval(timer);
    expect(turns[1]).toEqual(['user', 'My name is Grace.']);
    expect(heard.updates.filter(({ type }) => type === 'turn').length).toBeGreaterThanOrEqual(3);
    await leave(call);
    await eventually(() => expect(socket.readyState).toBe(socket.CLOSED));
  });

  it('refuses malformed offers with a reason, and stores nothing [web-calls.6]', async () => {
    const call = await started([]);
    for (const [changes, message] of [
      [{ sdp: 'hello' }, 'begins with v=0'],
      [
        { sdp: `v=0\r\n${'a=candidate:1 1 udp 1 10.0.0.1 9 typ host\r\n'.repeat(51)}` },
        'at most 50 candidates',
      ],
      [{ participant: 'short' }, '16-64 characters'],
    ] as const) {
      const { answer } = await offer(call, changes);
      expect([answer.status, answer.body.error.details[0].message]).toEqual([
        422,
        expect.stringContaining(message),
      ]);
    }
    const { answer: huge } = await offer(call, {
      sdp: 'a=candidate:1 1 udp 1 10.0.0.1 9 typ host\r\n'.repeat(10_000),
    });
    expect(huge.status).toBe(413);
    const rows = await harness.sql.$queryRaw<
      unknown[]
    >`SELECT 1 FROM web_lines WHERE call_id = ${call.id}::uuid`;
    expect(rows).toEqual([]);
    expect((await offer({ ...call, token: 'x' })).answer.status).toBe(401);
  });

  it('says the rest of a sentence when its visitor is back [web-calls.5]', async () => {
    const SECOND_BYTES = 48_000;
    // Six seconds of the double's voice.
    const firstMessage =
      'These words take long enough that the visitor may leave and come back before all of them are said to the very last one';
    const call = await started([], { config: { firstMessage } });
    // Joins with its participant.
    await offer(call);
    const listenTo = async () => {
      const socket = await socketOf(call);
      const heard = { bytes: 0, leave: () => socket.terminate() };
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary && data.some((byte) => byte > 1 && byte < 255)) heard.bytes += data.length;
      });
      return heard;
    };
    const first = await listenTo();
    await eventually(() => expect(first.bytes).toBeGreaterThan(SECOND_BYTES), LONG);
    first.leave();
    await realSleep(3_000);
    const second = await listenTo();
    const left = 6 * SECOND_BYTES - first.bytes;
    await eventually(() => expect(second.bytes).toBeGreaterThan(left - SECOND_BYTES), LONG);
    await leave(call);
  });

  it('cuts off a visitor who floods the data channel, who may come back [web-calls.6]', async () => {
    const call = await started(['One.']);
    const browser = await joined(call);
    await untilSaid(call, 1);
    for (let n = 0; n < 300; n += 1)
      browser.send(JSON.stringify({ type: 'dtmf', digits: '1'.repeat(32), more: 'x'.repeat(900) }));
    // Before another connection replaces it.
    await eventually(() => expect(browser.silentMs()).toBeGreaterThan(1_000), LONG);
    const again = await joined(call);
    await again.speak(1_000);
    await untilSaid(call, 3);
    const keys = await harness.sql.$queryRaw<{ n: number }[]>`SELECT count(*)::int AS n FROM call_events
      WHERE call_id = ${call.id}::uuid AND type = 'dtmf'`;
    expect(keys[0]?.n).toBeLessThanOrEqual(6);
    await leave(call);
  });

  it('cuts off a WebSocket that sends a message of endless fragments [web-calls.6]', async () => {
    const call = await started([]);
    await offer(call);
    const socket = await socketOf(call);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (let n = 0; n < 1_000; n += 1) socket.send('', { fin: false });
    expect(await closed).toBe(1_008);
    await leave(call);
  });

  it('is text where it is joined as text [web-calls.4]', async () => {
    const call = await started([]);
    await session(call, 'POST', '/join');
    await untilSaid(call, 1);
    expect((await offer(call)).answer.body.error.code).toBe('CONFLICT');
    await leave(call);
  });
});
