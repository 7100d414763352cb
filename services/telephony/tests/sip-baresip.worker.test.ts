import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkFlite, checkPocketsphinx, createFlite, createPocketsphinx } from '@parley/speech';
import { eventually, freePort } from '@parley/testkit';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { startWorker } from '../src/start-worker.ts';
import { inboundNumber } from './call-in.ts';
import { type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, finished, nativeTool } from './place-call.ts';
import { hasBaresip, type Person, startPerson } from './sip/baresip.ts';

const PATIENCE = { timeoutMs: 90_000 };
const GREETING = 'Welcome to the Acme company.';
const [WHO, END] = ['who is this', 'please end this call'];
const TRANSFER = 'please transfer me to a person';
const THEM = '+12025550199';

const isInstalled =
  hasBaresip() &&
  (await Promise.all([checkFlite(), checkPocketsphinx()]).then(
    () => true,
    () => false,
  ));
if (!isInstalled)
  console.warn('baresip, flite or pocketsphinx is not installed: calls with baresip are skipped');

/** flite speaks, and pocketsphinx recognises these sentences. */
const speech: FindSpeech = async () => {
  const stt = createPocketsphinx();
  return {
    stt: { ...stt, open: (options) => stt.open({ ...options, phrases: [WHO, END, TRANSFER] }) },
    tts: createFlite(),
  };
};

(isInstalled ? describe : describe.skip)('a conversation with a person at baresip, in G.722 over TCP', () => {
  let harness: Harness;
  let port: number;
  const people: Person[] = [];
  beforeAll(async () => {
    port = await freePort();
    harness = await startHarness({
      PROCESSES: 'api',
      CLOCK_RATE: '1',
      CARRIERS: 'sip',
      HOST: '127.0.0.1',
      SIP_PORT: String(port),
      RTP_PORT_MIN: '33000',
      RTP_PORT_MAX: '45000',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    });
    await startWorker(harness.context, harness.context.lifecycle, { findSpeech: speech });
  });
  afterAll(async () => {
    await Promise.all(people.map((person) => person.stop()));
    await harness?.close();
  });

  const timelineOf = async (workspaceId: string, id: string): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'GET', `/v2/call/${id}/timeline`)).body.data;

  it('calls a person: its words are understood, it hears sound, and the call ends by its tool [sip.1] [sip.9]', async () => {
    const person = await startPerson({
      number: THEM,
      says: [
        { afterSeconds: 5, text: WHO ?? '' },
        { afterSeconds: 12, text: END ?? '' },
      ],
    });
    people.push(person);
    const number = await inboundNumber(harness, {
      agent: { tools: [nativeTool('end_call')], config: { firstMessage: GREETING } },
      number: { termination_uri: `127.0.0.1:${person.port}`, transport: 'tcp' },
    });
    const { workspaceId } = number;
    const id = await callFrom(harness, number, THEM, { agent_id: number.agent.agent_id });
    const call = await eventually(() => finished(harness, workspaceId, id), PATIENCE).catch(
      (err: unknown) => {
        throw new Error(`${err}\n${person.output()}`);
      },
    );
    const timeline = await timelineOf(workspaceId, id);
    const turns = (role: string) =>
      timeline.filter((entry) => entry.type === 'turn' && entry.role === role).map(({ content }) => content);
    expect(turns('user')).toEqual([WHO, END]);
    expect(turns('agent')[0]).toBe(GREETING);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', call_sid: `call-${id}` });
    expect(call.recording_url).toEqual(expect.any(String));
    // Which words baresip has heard is not examined.
    const [heard = new Int16Array()] = await person.heard();
    expect(heard.some((sample) => Math.abs(sample) > 3_000)).toBe(true);
  });

  it('answers a person and connects it to a second one, which hears who calls and presses 1 [sip.12] [sip.16]', async () => {
    const desk = await startPerson({
      number: 'desk',
      says: [{ afterSeconds: 1, text: 'Hello, this is the desk.' }],
    });
    const caller = await startPerson({ number: THEM, says: [{ afterSeconds: 6, text: TRANSFER }] });
    people.push(desk, caller);
    const transfer = nativeTool('transfer_call', {
      transfer_call_mode: 'static',
      transfer_call_destination: `sip:desk@127.0.0.1:${desk.port};transport=tcp`,
      transfer_call_type: 'warm',
    });
    const number = await inboundNumber(harness, {
      agent: { tools: [transfer], config: { firstMessage: GREETING } },
      number: { termination_uri: `127.0.0.1:${caller.port}`, transport: 'tcp' },
    });
    caller.type(`/dial sip:${number.phoneNumber}@127.0.0.1:${port};transport=tcp\n`);
    await eventually(() => expect(desk.output()).toContain('Call established'), PATIENCE);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    desk.type('1');
    const id = await eventually(async () => {
      const { body } = await harness.ask(number.workspaceId, 'POST', '/v2/call/list', { body: {} });
      const entries = await timelineOf(number.workspaceId, body.data[0].id);
      expect(entries.find(({ type }) => type === 'transfer')).toMatchObject({ ok: true });
      return body.data[0].id as string;
    }, PATIENCE).catch((err: unknown) => {
      throw new Error(`${err}\n${desk.output().slice(-1_500)}\n${caller.output().slice(-1_500)}`);
    });
    // Both talk now.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    desk.type('b');
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    expect(call).toMatchObject({
      disconnection_reason: 'call_transfer',
      call_type: 'inbound',
      from_number: THEM,
    });
  });
});
